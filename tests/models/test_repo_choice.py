"""Which model, which draft and which name a pull from the hub takes."""

from pathlib import Path

import pytest

from localspec.errors import (
    BrokenModelFile,
    PairMismatch,
    UsageError,
)
from localspec.models import store
from localspec.models.choosing import choose
from localspec.models.placement import MemoryOf
from localspec.models.pull import PullRequest
from localspec.models.sources.hub import HubSource
from tests.conftest import TinyFiles, register
from tests.models.any_repo import ANY, FILE, fetched_whole
from tests.models.hub_answers import Sparse
from tests.models.scene import Scene, finish, notices
from tests.models.tiny_catalog import COMMIT, DRAFT, REPO, TARGET
from tests.tiny_gguf import write_model, write_vocab


@pytest.mark.parametrize("quant", ["Q4_K_XL", "Q4"])
def test_a_quant_that_is_not_there_fetches_nothing(hub: Scene, quant: str) -> None:
    """B20: a suffix that fits no file downloaded the whole repository, or another file."""
    with pytest.raises(UsageError, match=r"Q4_K_M \(.* kB\), Q8_0 \(.* kB\)"):
        hub.pull(f"{ANY}:{quant}")
    assert not any("/resolve/" in path for _, path, _ in hub.stub.log)


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


def test_the_best_quality_for_the_gpu_is_taken_and_told(hub: Scene) -> None:
    """`pull` without a quantisation took the usual one, however much memory the GPU has."""
    names = ["Any-7B-Q4_K_M", "Any-7B-Q8_0", "Any-7B-F16", "Other-1B-Q6_K"]
    files = {f"{name}.gguf": Sparse(hub.target, 10**6 * n) for n, name in enumerate(names, 1)}
    hub.stub.add_repo(ANY, files)

    def chosen(gpu: int, name: str = ANY) -> str:
        devices = (MemoryOf("GPU0", "gpu", gpu, gpu), MemoryOf("CPU", "cpu", 10**11, 10**11))
        request = PullRequest(name, with_draft=False, devices=lambda: devices)
        events, found = finish(choose(request, HubSource()))
        assert len(notices(events)) == (name == ANY)
        return found.name

    assert chosen(10**10) == "Any-7B-Q8_0"
    assert chosen(10**6) == "Any-7B-Q4_K_M"
    assert chosen(10**10, f"{ANY}:q4_k_m") == "Any-7B-Q4_K_M"


def test_a_former_choice_is_gone_on_with(hub: Scene) -> None:
    """A second pull without a quantisation would have fetched another one."""
    hub.pairs[0]["alternatives"] = [
        hub.pairs[0]["target"] | {"role": "target", "kind": "draft", "file": FILE, "repo": ANY}
    ]
    hub.pairs[0]["alternatives"][0]["quant"] = "Q4_K_M"
    hub.write()
    hub.pull("tiny:q4_k_m")
    hub.pull("tiny")
    assert store.resolve("tiny").target.name == FILE


def test_a_draft_that_fits_is_found_on_this_disk(hub: Scene, tmp_path: Path) -> None:
    target = write_model(tmp_path / "t.gguf", n_layer=24, n_embd=128).read_bytes()
    draft = write_model(tmp_path / "d.gguf", n_layer=1, n_embd=32)
    register("small", target=draft)
    hub.stub.add_repo(ANY, {FILE: target})
    events = hub.pull(ANY)
    assert store.resolve(ANY).draft == draft
    assert any(text.startswith("Draft: d (") for text in notices(events))


def test_without_a_known_draft_it_says_so(hub: Scene) -> None:
    """A check named the pair as it is called only once it is pulled, so the hint led nowhere."""
    events = hub.pull(f"{ANY}:q4_k_m")
    assert any(f"`localspec drafts {ANY}:q4_k_m`" in text for text in notices(events))
    assert store.resolve(ANY).draft is None


def test_the_file_at_the_revision_that_was_asked_for(hub: Scene) -> None:
    hub.pull(f"https://huggingface.co/{ANY}/blob/v2/{FILE}", with_draft=False)
    assert f"/api/models/{ANY}" in [path for _, path, _ in hub.stub.log]
    assert hub.stub.tokens[0][0].startswith(f"/api/models/{ANY}/revision/v2")
    assert COMMIT in store.resolve(ANY).target.parts
