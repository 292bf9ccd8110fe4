"""`localspec drafts`, and `add` without a draft."""

import json
from pathlib import Path

import pytest

from localspec.bench import draft_costs
from localspec.models import store
from localspec.models.drafts.gain import ANY_MACHINE
from tests.cli.invoke import invoke
from tests.conftest import TinyFiles
from tests.models.scene import Scene
from tests.models.tiny_catalog import DRAFT
from tests.tiny_gguf import write_model


@pytest.fixture(autouse=True)
def any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a draft pays may not hang on the machine that runs the tests."""
    monkeypatch.setattr(draft_costs, "this_machine", lambda quant: ANY_MACHINE)


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A target beside a draft that pays, and one whose vocabulary is another."""
    write_model(tmp_path / "small.gguf", n_layer=1)
    write_model(tmp_path / "stranger.gguf", n_vocab=900, n_layer=1)
    return write_model(tmp_path / "big.gguf", n_layer=12)


def test_the_list_says_what_fits_and_why_the_rest_does_not(
    big: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "drafts", str(big))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    (row,) = (line for line in lines if line.startswith("1  "))
    assert "small" in row
    assert "estimate" in row
    refused = lines[lines.index("Refused:") + 1 :]
    assert any("stranger.gguf" in line and "128 apart" in line for line in refused)
    assert f"--draft {big.with_name('small.gguf')}" in done.out


def test_json_is_one_object(big: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(invoke(capsys, "drafts", str(big), "--json").out)
    assert [each["name"] for each in found["drafts"]] == ["small"]
    assert found["drafts"][0]["gain"]["is_measured"] is False
    assert [each["name"] for each in found["refused"]] == ["stranger.gguf"]
    works = {each["name"]: each["works"] for each in found["without_a_draft_model"]}
    assert works == {"suffix": True, "predicted": True, "translated": False, "early exit": False}


def test_where_nothing_fits_the_other_ways_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "drafts", str(write_model(tmp_path / "alone.gguf")))
    assert done.code == 0
    assert "No draft that fits is known." in done.out
    rows = {line.split()[0]: line for line in done.out.splitlines() if line.startswith("  ")}
    assert "works" in rows["suffix"] and "works" in rows["predicted"]
    assert "not built yet" in rows["translated"] and "not built yet" in rows["early"]


@pytest.mark.parametrize(("draft", "code"), [("small.gguf", 0), ("stranger.gguf", 1)])
def test_one_draft_is_explained(
    big: Path, capsys: pytest.CaptureFixture[str], draft: str, code: int
) -> None:
    asked = ["drafts", str(big), "--draft", str(big.with_name(draft))]
    done = invoke(capsys, *asked)
    assert (done.code, done.err) == (code, "")
    for part in ("vocabulary", "BOS", "EOS", "tokenizer", "texts from 5" if code == 0 else "900"):
        assert part in done.out
    assert ("It can't draft" in done.out) == bool(code)
    told = invoke(capsys, *asked, "--json")
    assert (told.code, json.loads(told.out)["fits"]) == (code, not code)


def test_a_draft_is_used_and_taken_off(big: Path, capsys: pytest.CaptureFixture[str]) -> None:
    invoke(capsys, "add", "mine", "--target", str(big))
    small = big.with_name("small.gguf")
    for word in ("auto", "1", "SMALL", "small.gguf", str(small)):
        assert invoke(capsys, "drafts", "mine", "--use", word).code == 0, word
        assert store.resolve("mine").draft == small, word
        done = invoke(capsys, "drafts", "mine", "--use", "none")
        assert done.code == 0 and str(small) in done.out
        assert store.resolve("mine").draft is None


def test_what_cannot_be_used_is_refused_in_a_line(
    big: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(capsys, "add", "mine", "--target", str(big))
    for args, words in [
        (("mine", "--use", "stranger"), "128 apart"),
        (("mine", "--use", "nobody"), "No draft is called nobody"),
        (("mine", "--use", "none"), "has no draft"),
        (("mine", "--use", "1", "--draft", "x"), "exclude each other"),
        (("llama3-70b", "--use", "auto"), "localspec pull llama3-70b"),
        (("mine", "--draft", "nothing.gguf"), "does not exist"),
        (("mine", "--draft", "~nobody-at-all/x.gguf"), "does not exist"),
        (("mine", "--use", "x" * 5000), "No draft is called"),
        (("nobody",), "No model is called"),
    ]:
        done = invoke(capsys, "drafts", *args)
        assert done.code in (1, 2) and done.out == "", args
        assert words in done.err and done.err.count("\n") == 1, args
    assert store.resolve("mine").draft is None


def test_a_draft_of_the_catalog_is_fetched_and_attached(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.pull(with_draft=False)
    assert store.resolve("tiny").draft is None
    name = DRAFT.removesuffix(".gguf")
    listed = json.loads(invoke(capsys, "drafts", "tiny", "--json").out)
    assert [(each["name"], each["where"]) for each in listed["drafts"]] == [(name, "catalog")]
    assert invoke(capsys, "drafts", "tiny", "--use", name).code == 0
    draft = store.resolve("tiny").draft
    assert draft is not None and draft.read_bytes() == scene.draft
    assert store.resolve("tiny").source == "hub"


def test_add_names_the_draft_that_it_would_take(
    big: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "add", "mine", "--target", str(big))
    assert done.code == 0
    assert "small" in done.out and "`localspec drafts mine`" in done.out
    assert store.resolve("mine").draft is None
    taken = invoke(capsys, "add", "other", "--target", str(big), "--draft", "auto")
    assert taken.code == 0 and "with a draft" in taken.out
    assert store.resolve("other").draft == big.with_name("small.gguf")


def test_add_says_when_no_draft_pays(
    tiny_files: TinyFiles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = write_model(tmp_path / "alone.gguf")
    done = invoke(capsys, "add", "mine", "--target", str(alone), "--draft", "auto")
    assert done.code == 0
    assert "without a draft" in done.out and "No draft on this disk pays" in done.out


def test_names_of_files_cannot_drive_the_terminal(
    big: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_model(big.with_name("a\x1b[2Jb.gguf"), n_layer=1)
    assert "\x1b" not in invoke(capsys, "drafts", str(big)).out


def test_a_model_of_the_hub_by_its_header(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its draft can be one of the hub as well, and what doesn't fit is never fetched."""
    target, draft, stranger = (
        write_model(tmp_path / name, n_layer=layers, n_vocab=size).read_bytes()
        for name, layers, size in (("a", 12, None), ("b", 1, None), ("c", 1, 900))
    )
    scene.stub.add_repo("maker/big", {"big-Q8_0.gguf": target})
    scene.stub.add_repo("maker/small", {"small-Q8_0.gguf": draft})
    scene.stub.add_repo("maker/odd", {"odd-Q8_0.gguf": stranger})
    found = json.loads(invoke(capsys, "drafts", "maker/big:Q8_0", "--json").out)
    assert found["target"]["name"] == "maker/big:Q8_0"
    assert found["target"]["bytes"] == len(target)
    fits = invoke(capsys, "drafts", "maker/big:Q8_0", "--draft", "maker/small:Q8_0")
    assert fits.code == 0 and "It can draft for" in fits.out
    odd = invoke(capsys, "drafts", "maker/big:Q8_0", "--draft", "maker/odd:Q8_0")
    assert odd.code == 1 and "128 apart" in odd.out
    invoke(capsys, "add", "mine", "--target", str(tmp_path / "a"))
    refused = invoke(capsys, "drafts", "mine", "--use", "maker/odd:Q8_0")
    assert refused.code == 1 and "128 apart" in refused.err
    assert store.resolve("mine").draft is None
    assert invoke(capsys, "drafts", "mine", "--use", "maker/small:Q8_0").code == 0
    attached = store.resolve("mine").draft
    assert attached is not None and attached.read_bytes() == draft


def test_an_entry_of_which_only_the_files_are_known(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """It had "a vocabulary of None", its own draft came last, and "none pays" was false."""
    sides = {
        role: {key: scene.pairs[0][role][key] for key in ("repo", "file")}
        for role in ("target", "draft")
    }
    scene.pairs = [scene.pairs[0] | sides]
    scene.write()
    out = invoke(capsys, "drafts", "tiny").out
    assert out.startswith("Drafts for tiny (not on this disk")
    assert "None" not in out
    assert out.splitlines()[3].startswith(f"1  {DRAFT.removesuffix('.gguf')}")
    assert "told once the target is on this disk" in out
