"""Pulls of any repository of the hub, checked by headers before the files."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from localspec.errors import (
    BrokenModelFile,
    DownloadFailed,
    LocalspecError,
    NotEnoughSpace,
    PairMismatch,
    SourceUnreachable,
    UsageError,
)
from localspec.models import records, store
from localspec.models.events import Plan, Progress
from localspec.models.pull import PullRequest, pull
from localspec.models.removal import remove
from tests.conftest import TinyFiles, register
from tests.models.hub_answers import Sparse
from tests.models.scene import Scene, notices
from tests.models.test_remote import split
from tests.models.tiny_catalog import COMMIT, DRAFT, REPO, TARGET
from tests.tiny_gguf import write_model, write_vocab

ANY, OTHER = "someone/Any-7B-GGUF", "someone/Odd-GGUF"
FILE = "Any-7B-Q4_K_M.gguf"
PATH = f"/{ANY}/resolve/*/{FILE}"


@pytest.fixture
def hub(scene: Scene) -> Scene:
    """A repository that no catalog knows, and one with another tokenizer."""
    files = {FILE: scene.target, "Any-7B-Q8_0.gguf": scene.target + b"", "README.md": b"x"}
    scene.stub.add_repo(ANY, files, license="mit")
    odd = write_model(scene.home / "odd.gguf", n_vocab=900).read_bytes()
    scene.stub.add_repo(OTHER, {"odd-Q4_K_M.gguf": odd})
    scene.stub.add_repo("someone/small", {"small-q8_0.gguf": scene.draft})
    return scene


def fetched_whole(scene: Scene) -> list[str]:
    """Paths of which more than a header was fetched."""
    ranged = [(path, asked) for method, path, asked in scene.stub.log if method == "GET"]
    files = [(path, asked) for path, asked in ranged if "/resolve/" in path]
    return [path for path, asked in files if not asked or asked.endswith("-")]


def test_any_repository_becomes_a_pair_with_a_name(hub: Scene) -> None:
    events = hub.pull(f"{ANY}:q4_k_m", draft="hf.co/someone/small")
    pair = store.resolve("any-7b-q4_k_m")
    assert pair.name == "Any-7B-Q4_K_M"
    assert pair.target.read_bytes() == hub.target
    assert pair.draft is not None
    assert pair.draft.read_bytes() == hub.draft
    assert (pair.quant, pair.draft_quant, pair.license) == ("Q4_K_M", "q8_0", "mit")
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


@pytest.mark.parametrize("quant", ["Q4_K_XL", "Q4"])
def test_a_quant_that_is_not_there_fetches_nothing(hub: Scene, quant: str) -> None:
    """B20: a suffix that fits no file downloaded the whole repository, or another file."""
    with pytest.raises(UsageError, match=r"Q4_K_M \(.* kB\), Q8_0 \(.* kB\)"):
        hub.pull(f"{ANY}:{quant}")
    assert not any("/resolve/" in path for _, path, _ in hub.stub.log)


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


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ({"arch": "clip"}, "image projector"),
        ({"extra_kv": {"general.type": "adapter"}}, "an adapter"),
        ({"extra_kv": {"general.type": "imatrix"}}, "importance matrix"),
        ({"arch": "eagle3"}, "a draft head"),
        ({"arch": "bert"}, "an embedding model"),
        ({"tensors": {}}, "a vocabulary without weights"),
    ],
)
def test_what_is_no_language_model_is_never_taken_for_one(
    hub: Scene, tmp_path: Path, kind: dict[str, object], words: str
) -> None:
    """Whatever it is called: the only file of its repository, with a model's name."""
    other = write_vocab(tmp_path / "x.gguf", ["a"], **kind).read_bytes()  # type: ignore[arg-type]
    hub.stub.add_repo(ANY, {FILE: other})
    with pytest.raises(BrokenModelFile, match=words):
        hub.pull(ANY)
    assert fetched_whole(hub) == []


def test_a_projector_beside_the_model_is_no_second_choice(hub: Scene, tmp_path: Path) -> None:
    """`:F16` was ambiguous between the model and its image projector."""
    projector = write_vocab(tmp_path / "x.gguf", [], arch="clip").read_bytes()
    hub.stub.add_repo(ANY, {"Any-F16.gguf": hub.target, "a-mmproj-F16.gguf": projector})
    hub.pull(f"{ANY}:f16", with_draft=False)
    assert store.resolve(ANY).target.name == "Any-F16.gguf"


def test_two_models_of_one_quant_are_a_question(hub: Scene) -> None:
    hub.stub.add_repo(ANY, {"a-F16.gguf": hub.target, "b-F16.gguf": hub.draft})
    with pytest.raises(UsageError, match=r"2 models of .*a-F16.gguf \(.*b-F16.gguf|b-F16.*a-F16"):
        hub.pull(f"{ANY}:F16")
    hub.pull(f"{ANY}/b-F16.gguf", with_draft=False)
    assert store.resolve("b-F16").target.read_bytes() == hub.draft


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


def test_names_are_never_taken_from_another_pair(hub: Scene) -> None:
    """Two makers give one file name; and a file may be called as a pair of the catalog."""
    hub.pull(ANY, with_draft=False)
    hub.stub.add_repo("else/Any", {FILE: hub.target, "tiny.gguf": hub.draft})
    hub.pull("else/Any", with_draft=False)
    hub.pull("else/Any/tiny.gguf", with_draft=False)
    names = {status.name for status in store.installed()}
    assert names == {"Any-7B-Q4_K_M", "Any-7B-Q4_K_M-else", "tiny-else"}
    assert store.resolve("else/Any/tiny.gguf").name == "tiny-else"
    hub.pull("else/Any", with_draft=False)
    assert len(store.installed()) == 3


def test_a_name_is_made_of_harmless_characters(hub: Scene) -> None:
    hub.stub.add_repo(ANY, {"sub dir/Ünï [x] %$ model-Q4_K_M.gguf": hub.target})
    hub.pull(ANY, with_draft=False)
    [status] = store.installed()
    assert status.name == "n-x-model-Q4_K_M"
    assert store.resolve(status.name).target.read_bytes() == hub.target


def test_the_draft_of_the_catalog_for_a_repository_that_it_knows(scene: Scene) -> None:
    scene.stub.add_repo(REPO, {TARGET: scene.target, "tiny-target-q6_k.gguf": scene.target})
    scene.pull(f"{REPO}:q6_k")
    pair = store.resolve("tiny-target-q6_k")
    assert pair.draft is not None
    assert pair.draft.name == DRAFT


def test_a_catalog_name_with_a_quant_that_only_its_repository_has(scene: Scene) -> None:
    scene.stub.add_repo(REPO, {TARGET: scene.target, "tiny-target-q6_k.gguf": scene.target})
    scene.pull("tiny:Q6_K")
    pair = store.resolve("tiny")
    assert (pair.quant, pair.draft_quant) == ("q6_k", "Q4_0")
    assert pair.target.name == "tiny-target-q6_k.gguf"
    assert store.resolve("tiny:q6_k").name == "tiny"


def test_a_draft_of_your_own_files(hub: Scene, tiny_files: TinyFiles) -> None:
    register("mine", target=tiny_files.draft)
    register("odd", target=tiny_files.stranger)
    hub.pull(ANY, draft="mine")
    assert store.resolve(ANY).draft == tiny_files.draft
    with pytest.raises(PairMismatch):
        hub.pull(f"{ANY}:Q8_0", draft="odd")


def test_without_a_known_draft_it_says_so(hub: Scene) -> None:
    events = hub.pull(ANY)
    assert any("`localspec drafts Any-7B-Q4_K_M`" in text for text in notices(events))
    assert store.resolve(ANY).draft is None


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


def test_the_file_at_the_revision_that_was_asked_for(hub: Scene) -> None:
    hub.pull(f"https://huggingface.co/{ANY}/blob/v2/{FILE}", with_draft=False)
    assert f"/api/models/{ANY}" in [path for _, path, _ in hub.stub.log]
    assert hub.stub.tokens[0][0].startswith(f"/api/models/{ANY}/revision/v2")
    assert COMMIT in store.resolve(ANY).target.parts


def test_an_unreachable_hub_is_named(hub: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match=r"127\.0\.0\.1:9 \(from HF_ENDPOINT\)"):
        hub.pull(ANY)
