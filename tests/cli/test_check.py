"""`localspec check`: the verdict before a download, and how it ends."""

import errno
import json
import os
from pathlib import Path

import pytest
from huggingface_hub import constants

from localspec.models import head_store, records, store
from tests.cli.invoke import invoke
from tests.models.hub_answers import Sparse
from tests.models.scene import Scene
from tests.tiny_gguf import write_model

REPO, FILE = "someone/Any-7B-GGUF", "Any-7B-Q4_K_M.gguf"


@pytest.fixture
def hub(scene: Scene) -> Scene:
    scene.stub.add_repo(REPO, {FILE: Sparse(scene.target, 5 * 10**9)}, license="mit")
    odd = write_model(scene.home / "odd.gguf", n_vocab=900).read_bytes()
    scene.stub.add_repo("someone/Odd", {"odd-Q8_0.gguf": odd})
    scene.stub.add_repo("someone/small", {"small-q8_0.gguf": scene.draft})
    return scene


def test_a_fitting_pair(hub: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "check", REPO, "--draft", "someone/small:Q8_0")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == "Any-7B-Q4_K_M (licence: mit; the draft: apache-2.0)"
    assert f"target  {FILE} of {REPO}" in lines[1]
    assert "Q4_K_M, 5.0 GB, not on this disk" in lines[2]
    assert "llama, " in lines[3]
    assert "2 layers, trained on 512 tokens of context" in lines[3]
    assert "BPE tokenizer (qwen2) of 320 tokens, with a chat template" in lines[4]
    assert "  pair    the tokenizers match; you named it" in lines
    assert "with a context of 512 tokens. All layers go on the CPU" in lines[-2]
    assert lines[-1] == f"Pull it: localspec pull {REPO} --draft someone/small:Q8_0"
    assert store.installed() == []


def test_the_drafts_licence_and_gate_are_told_too(
    hub: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the target's were."""
    files = {"small-q8_0.gguf": hub.draft}
    hub.stub.add_repo("someone/small", files, license="llama3.2", gated="manual")
    done = invoke(capsys, "check", REPO, "--draft", "someone/small")
    gate = "gated: its licence must be accepted on the hub"
    assert done.out.splitlines()[0].endswith(f"(licence: mit; the draft: llama3.2, {gate})")


def test_a_misfit_ends_with_the_rule(hub: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "check", REPO, "--draft", "someone/Odd")
    assert done.code == 1
    assert "  pair    no" in done.out
    last = done.err.splitlines()[-1]
    assert "vocabulary sizes are more than 128 apart (target 320, draft 900)" in last
    assert "Pull it" not in done.out


def test_too_large_for_the_disk(hub: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    hub.stub.add_repo(REPO, {FILE: Sparse(hub.target, 10**15)})
    done = invoke(capsys, "check", REPO)
    assert done.code == 1
    assert "and the disk has" in done.err.splitlines()[-1]


def test_as_one_object(hub: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "check", REPO, "--draft", "someone/small", "--json")
    found = json.loads(done.out)
    assert (found["ok"], found["pair_fits"]) == (True, True)
    assert found["license"] == "mit; the draft: apache-2.0"
    assert found["target"]["files"] == [{"file": FILE, "bytes": 5 * 10**9}]
    assert found["target"]["n_vocab"] == 320
    assert found["missing_bytes"] == 5 * 10**9 + len(hub.draft)
    misfit = invoke(capsys, "check", REPO, "--draft", "someone/Odd", "--json")
    assert misfit.code == 1
    told = json.loads(misfit.out)
    assert (told["ok"], told["pair_fits"]) == (False, False)
    assert "128 apart" in told["refusal"]


def test_a_pair_of_the_catalog_that_is_here(
    hub: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.pull()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    done = invoke(capsys, "check", "tiny")
    assert done.code == 0
    assert done.out.count("on this disk") == 2
    assert "  disk    all here" in done.out
    assert done.out.splitlines()[-1] == "Use it: localspec chat tiny"
    records.delete("tiny")
    assert invoke(capsys, "check", "tiny").out.splitlines()[-1] == "Pull it: localspec pull tiny"


def test_a_size_that_the_catalog_does_not_know(
    hub: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.pairs[0]["target"] |= {"bytes": None, "sha256": None, "revision": None}
    hub.write()
    found = json.loads(invoke(capsys, "check", "tiny", "--json").out)
    assert found["target"]["bytes"] == len(hub.target)


def test_what_a_pull_has_begun_counts(hub: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    hub.stub.add_repo("someone/begun", {"x-Q4_0.gguf": hub.target})
    hub.stub.faults["/someone/begun/resolve/*/x-Q4_0.gguf"] = ["cut:1000", *["cut:0"] * 6]
    assert invoke(capsys, "pull", "someone/begun", "--no-draft").code == 1
    done = invoke(capsys, "check", "someone/begun")
    assert "partly on this disk" in done.out


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["nosuch"], 2, "No model is called"),
        (["someone/none"], 1, "has no repository someone/none"),
        ([f"{REPO}:Q8_0"], 2, "Choose from: Q4_K_M (5.0 GB)"),
        ([REPO, "--draft", "a//b"], 2, "names no repository"),
        ([REPO, "--draft", REPO], 2, "is the target itself"),
        (["./model.gguf"], 2, "localspec add"),
        ([], 2, "Missing argument"),
    ],
)
def test_refusals(
    hub: Scene, capsys: pytest.CaptureFixture[str], args: list[str], code: int, words: str
) -> None:
    done = invoke(capsys, "check", *args)
    assert (done.code, done.out) == (code, "")
    assert words in done.err.splitlines()[-1]


def test_what_a_server_says_cannot_move_the_cursor(
    hub: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.stub.add_repo(REPO, {FILE: hub.target}, license="\x1b[2Jfree", tags=["license:\x9b2J"])
    done = invoke(capsys, "check", REPO)
    assert "\x1b" not in done.out + done.err
    assert "\x9b" not in done.out + done.err


def test_a_hub_that_cannot_be_reached_is_told_of_at_once(
    hub: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pinned pair of the catalog had its header tried again and again, for half a minute."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    template = "http://127.0.0.1:9/{repo_id}/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    done = invoke(capsys, "check", "tiny")
    assert done.code == 1
    assert "http://127.0.0.1:9 (from HF_ENDPOINT) can't be reached" in done.err
    assert "The header of" not in done.err


def test_without_the_hub_the_catalogs_numbers_are_named(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever can't reach the hub was not told that `fit` and `drafts` need it not."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    template = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    told = invoke(capsys, "check", "tiny").err
    assert "can't be reached" in told
    assert "`localspec fit tiny`" in told
    assert "catalog" not in invoke(capsys, "check", REPO).err


def test_files_of_ones_own_are_judged_elsewhere(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A refusal that nothing is to pull ended without a way on."""
    assert f"`localspec fit {tiny_pair}`" in invoke(capsys, "check", tiny_pair).err


def test_a_draft_of_ones_own_is_not_sought_on_the_hub(
    hub: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that came from no repository ended the check with a traceback."""
    small = write_model(hub.home / "own-draft.gguf", n_layer=1)
    assert invoke(capsys, "add", "own", "--target", str(small)).code == 0
    done = invoke(capsys, "check", REPO, "--draft", "own")
    assert done.code == 0
    assert "draft   own-draft.gguf" in done.out
    assert "on this disk" in done.out


@pytest.mark.parametrize("kind", ["no directory", "read-only", "full"])
def test_a_cache_that_takes_nothing_ends_no_check(
    hub: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A full or read-only disk under the cache ended the command, which needs none."""
    if kind == "no directory":
        hub.home.joinpath("cache").write_text("a file")
    else:
        number = errno.ENOSPC if kind == "full" else errno.EROFS

        def refuse(path: Path, data: bytes) -> None:
            raise OSError(number, os.strerror(number), str(path))

        monkeypatch.setattr(head_store, "write_whole", refuse)
    done = invoke(capsys, "check", REPO, "--draft", "someone/small:Q8_0")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("Pull it: ")
    assert len(hub.stub.spans(FILE)) == 1, "read twice"
