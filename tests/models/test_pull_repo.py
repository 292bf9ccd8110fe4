"""Pulls of any repository of the hub, checked by headers before the files."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from localspec import paths
from localspec.errors import (
    DownloadFailed,
    LocalspecError,
    NotEnoughSpace,
    PairMismatch,
    SourceUnreachable,
)
from localspec.models import choosing, records, store
from localspec.models.events import Plan, Progress
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.placement import CPU, MemoryOf
from localspec.models.pull import PullRequest, pull
from localspec.models.removal import remove
from tests.models.any_repo import ANY, FILE, OTHER, PATH, fetched_whole
from tests.models.hub_answers import Sparse
from tests.models.scene import Scene, notices
from tests.models.test_remote import split
from tests.models.tiny_catalog import DRAFT
from tests.tiny_gguf import write_model


def test_any_repository_becomes_a_pair_with_a_name(hub: Scene) -> None:
    events = hub.pull(f"{ANY}:q4_k_m", draft="hf.co/someone/small")
    pair = store.resolve("any-7b-q4_k_m")
    assert pair.name == "Any-7B-Q4_K_M"
    assert pair.target.read_bytes() == hub.target
    assert pair.draft is not None
    assert pair.draft.read_bytes() == hub.draft
    assert (pair.quant, pair.draft_quant) == ("Q4_K_M", "q8_0")
    assert pair.license == "mit; the draft: apache-2.0"
    plan = next(event for event in events if isinstance(event, Plan))
    assert plan.needed_bytes == len(hub.target) + len(hub.draft)


def test_it_goes_by_its_place_as_well(hub: Scene) -> None:
    hub.pull(ANY, with_draft=False)
    for place in (ANY, ANY.lower(), f"{ANY}:q4_k_m", f"hf.co/{ANY}", f"{ANY}/{FILE}"):
        assert store.resolve(place).name == "Any-7B-Q4_K_M"
    with pytest.raises(LocalspecError, match=f"pull {ANY}:Q8_0"):
        store.resolve(f"{ANY}:Q8_0")
    removed = remove(f"{ANY}:Q4_K_M")
    assert [path.name for path in removed.deleted] == [FILE]
    assert store.installed() == []


def test_a_misfit_is_told_before_the_files(hub: Scene) -> None:
    """40 GB were fetched before the pair turned out not to fit."""
    hub.stub.add_repo(ANY, {FILE: Sparse(hub.target, 10**9)})
    with pytest.raises(PairMismatch, match=r"odd-Q4_K_M.gguf can't draft for Any-7B-Q4_K_M.gguf"):
        hub.pull(ANY, draft=OTHER)
    assert fetched_whole(hub) == []
    assert store.installed() == []


def test_a_catalog_pair_is_checked_before_the_files_too(hub: Scene, tmp_path: Path) -> None:
    odd = write_model(tmp_path / "odd.gguf", n_vocab=900).read_bytes()
    hub.stub.add_hub_file(hub.pairs[0]["draft"]["repo"], DRAFT, odd)
    hub.pairs[0]["draft"] |= {"sha256": None, "bytes": None, "revision": None}
    hub.write()
    with pytest.raises(PairMismatch, match="vocabulary sizes"):
        hub.pull()
    assert fetched_whole(hub) == []


def test_a_split_set_is_pulled_as_one_model(hub: Scene, tmp_path: Path) -> None:
    first, second = split(tmp_path)
    names = [f"Q8_0/big-0000{number}-of-00002.gguf" for number in (1, 2)]
    hub.stub.add_repo(OTHER, dict(zip(names, (first, second), strict=True)))
    events = hub.pull(f"{OTHER}:Q8_0", with_draft=False)
    plan = next(event for event in events if isinstance(event, Plan))
    assert plan.needed_bytes == len(first) + len(second)
    pair = store.resolve("big-Q8_0")
    assert pair.target.name == "big-00001-of-00002.gguf"
    assert pair.target.with_name("big-00002-of-00002.gguf").read_bytes() == second
    assert {len(hub.stub.spans(name)) for name in names} == {1}


def test_what_is_complete_needs_no_network(hub: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """B39: a model on disk was asked for on the hub first."""
    hub.pull(ANY, draft="someone/small")
    hub.stub.log.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    for name in (ANY, f"{ANY}:Q4_K_M", "Any-7B-Q4_K_M"):
        hub.pull(name)
        assert store.resolve(name).draft
    hub.pull(ANY, with_draft=False)
    assert store.resolve(ANY).draft is None
    hub.pull(ANY, draft="someone/small")
    assert store.resolve(ANY).draft
    assert hub.stub.log == []


def test_files_of_other_programs_are_used_offline(
    hub: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B39: the hub's cache held the model, and the list of files was asked for."""
    hub.pull(ANY, with_draft=False)
    records.delete("Any-7B-Q4_K_M")
    for kept in (hub.home / "cache" / "headers").iterdir():
        kept.unlink()
    hub.stub.log.clear()
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    events = hub.pull(ANY, with_draft=False)
    assert any("can't be reached" in text for text in notices(events))
    assert store.resolve(ANY).target.read_bytes() == hub.target
    assert hub.stub.log == []


def test_an_interrupted_pull_resumes_by_place_and_by_name(hub: Scene) -> None:
    hub.stub.faults[PATH] = ["cut:1000", *["cut:0"] * 6]
    with pytest.raises(DownloadFailed, match="1000 of"):
        hub.pull(ANY, draft="someone/small")
    [status] = store.installed()
    assert (status.name, status.state) == ("Any-7B-Q4_K_M", "partial")
    hub.stub.faults[PATH] = ["cut:1000", *["cut:0"] * 6]
    hub.stub.log.clear()
    with pytest.raises(DownloadFailed, match="2000 of"):
        hub.pull(ANY)
    hub.stub.faults.clear()
    hub.pull("any-7b-q4_k_m")
    assert hub.stub.fetched(FILE)[-1] == "bytes=2000-"
    pair = store.resolve(ANY)
    assert pair.target.read_bytes() == hub.target
    assert pair.draft is not None


def test_closing_it_while_a_header_is_read_leaves_nothing(hub: Scene) -> None:
    """B25: a pull could not be cancelled while the line was silent."""
    hub.stub.span_faults[PATH] = ["stall:100"]
    events = pull(PullRequest(ANY))
    for event in events:
        if isinstance(event, Progress) and event.done:
            break
    events.close()  # type: ignore[attr-defined]
    assert not list((hub.home / "cache").rglob("*.partial"))
    assert store.installed() == []


def test_too_small_a_disk_is_told_before_the_files(hub: Scene) -> None:
    hub.stub.add_repo(ANY, {FILE: Sparse(hub.target, 10**15)})
    with pytest.raises(NotEnoughSpace, match="Any-7B-Q4_K_M needs"):
        hub.pull(ANY, with_draft=False)
    assert fetched_whole(hub) == []


def test_a_gated_repository_says_how_to_get_in(hub: Scene) -> None:
    hub.stub.add_repo(ANY, {FILE: hub.target}, gated="manual")
    hub.stub.status[PATH] = 403
    hub.stub.headers = {"X-Error-Code": "GatedRepo"}
    with pytest.raises(DownloadFailed, match="is gated: its licence must be accepted"):
        hub.pull(ANY)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (ANY, {"draft": ANY}, "is the target itself"),
        (ANY, {"draft": "x", "with_draft": False}, "--draft and --no-draft"),
        (f"{ANY}:Q8_0", {"quant": "Q4_K_M"}, "Q8_0 and the quantisation Q4_K_M"),
        (ANY, {"draft": "nosuchdraft"}, "No model is called"),
        (ANY, {"draft": "a/b/c"}, "names no GGUF file"),
        (ANY, {"source": "wheels"}, "No wheels"),
        ("someone/none", {}, "no repository someone/none"),
    ],
)
def test_refusals(hub: Scene, name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(LocalspecError, match=words):
        hub.pull(name, **options)
    assert store.installed() == []


def test_an_unreachable_hub_is_named(hub: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match=r"127\.0\.0\.1:9 \(from HF_ENDPOINT\)"):
        hub.pull(ANY)


def test_each_file_is_read_once_where_a_quantisation_is_chosen_too(
    hub: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a GPU all headers on the disk were read twice, before the choice and after it."""
    (paths.models_dir()).mkdir(parents=True)
    paths.models_dir().joinpath("some-draft.gguf").write_bytes(hub.draft)
    read: list[Path] = []

    def counted(path: Path) -> ModelFacts:
        read.append(path)
        return read_model(path)

    monkeypatch.setattr(choosing, "read_model", counted)
    gpu = MemoryOf("CUDA0", "gpu", 24 * 10**9, 24 * 10**9)
    system = MemoryOf(CPU, "cpu", 24 * 10**9, 24 * 10**9)
    told = notices(hub.pull(ANY, devices=lambda: (gpu, system)))
    assert any(text.startswith("Q8_0: ") for text in told)
    assert [path.name for path in read].count("some-draft.gguf") == 1
