"""`localspec rm`."""

import io

import pytest

from localspec.models import store
from tests.cli.invoke import invoke
from tests.models.scene import Scene
from tests.models.tiny_catalog import TARGET


def test_it_says_what_it_frees(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene.pull()
    target = store.resolve("tiny").target
    done = invoke(capsys, "rm", "tiny", "--yes")
    assert done.code == 0
    assert TARGET in done.out
    assert "freed" in done.out
    assert not target.exists()
    assert store.installed() == []


@pytest.mark.parametrize("agreed", [False, True])
def test_on_a_terminal_it_asks(
    scene: Scene,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    agreed: bool,
) -> None:
    scene.pull()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: agreed)
    done = invoke(capsys, "rm", "tiny")
    assert done.code == (0 if agreed else 1)
    assert (store.installed() == []) is agreed


def test_without_a_terminal_nothing_is_deleted_unasked(
    scene: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a pipe on stdin the question was skipped and the files were deleted."""
    scene.pull()
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    done = invoke(capsys, "rm", "tiny")
    assert (done.code, done.out) == (2, "")
    assert "--yes" in done.err
    assert store.resolve("tiny").target.exists()


def test_what_is_not_here(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "rm", "tiny").code == 1
    done = invoke(capsys, "rm", "nothing-like-it")
    assert done.code == 2
    assert done.err.count("\n") == 1
