"""`localspec add`."""

from pathlib import Path

import pytest

from localspec.models import store
from tests.cli.invoke import invoke
from tests.conftest import TinyFiles


def test_a_pair_is_added(tiny_files: TinyFiles, capsys: pytest.CaptureFixture[str]) -> None:
    target, draft = str(tiny_files.target), str(tiny_files.draft)
    done = invoke(capsys, "add", "mine", "--target", target, "--draft", draft)
    assert (done.code, done.out) == (0, "mine is ready, with a draft.\n")
    assert store.resolve("mine").draft == tiny_files.draft


@pytest.mark.parametrize(
    ("name", "target", "draft", "code", "words"),
    [
        ("mine", "missing.gguf", None, 1, "does not exist"),
        ("mine", "notes.txt", None, 1, "not a GGUF file"),
        ("mine", ".", None, 1, "is a directory"),
        ("mine", "target.gguf", "stranger.gguf", 1, "more than 128 apart"),
        ("mine", "target.gguf", "target.gguf", 1, "target itself"),
        ("a/b", "target.gguf", None, 2, "can't be a name"),
        ("starter", "target.gguf", None, 2, "name of the catalog"),
        ("a" * 300, "target.gguf", None, 2, "at most 100 characters"),
    ],
)
def test_refusals(
    tmp_path: Path,
    tiny_files: TinyFiles,
    capsys: pytest.CaptureFixture[str],
    name: str,
    target: str,
    draft: str | None,
    code: int,
    words: str,
) -> None:
    (tmp_path / "notes.txt").write_text("not a model")
    for file in (tiny_files.target, tiny_files.stranger):
        (tmp_path / file.name).symlink_to(file)
    more = ["--draft", str(tmp_path / draft)] if draft else []
    done = invoke(capsys, "add", name, "--target", str(tmp_path / target), *more)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert store.installed() == []


def test_a_name_that_is_taken_needs_force(
    tiny_files: TinyFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second `add` under one name replaced the first pair without --force."""
    invoke(capsys, "add", "mine", "--target", str(tiny_files.target))
    again = ["add", "mine", "--target", str(tiny_files.stranger)]
    done = invoke(capsys, *again)
    assert (done.code, done.out) == (2, "")
    assert "--force" in done.err
    assert store.resolve("mine").target == tiny_files.target
    assert invoke(capsys, *again, "--force").code == 0
    assert store.resolve("mine").target == tiny_files.stranger
