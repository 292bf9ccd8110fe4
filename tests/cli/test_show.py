"""`localspec show`."""

import json

import pytest

from localspec.models import catalog, store
from tests.cli.invoke import invoke
from tests.models.scene import Scene
from tests.models.tiny_catalog import COMMIT, DRAFT, TARGET


def test_an_entry_and_its_files(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    words = invoke(capsys, "show", "tiny-alias").out
    for expected in (TARGET, DRAFT, COMMIT, "apache-2.0", "on this disk: no"):
        assert expected in words
    scene.pull()
    assert str(store.resolve("tiny").target) in invoke(capsys, "show", "tiny").out


def test_json_holds_entry_and_disk(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene.pull()
    shown = json.loads(invoke(capsys, "show", "tiny", "--json").out)
    assert shown["entry"]["target"]["file"] == TARGET
    assert shown["disk"]["ready"] is True


def test_verify_names_a_file_with_one_flipped_bit(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that rotted on the disk was never noticed, and no pull replaced it."""
    scene.pull()
    good = invoke(capsys, "show", "tiny", "--verify")
    assert good.code == 0
    assert "Every file is whole." in good.err
    draft = store.resolve("tiny").draft
    assert draft is not None
    draft.write_bytes(scene.draft[:-1] + bytes([scene.draft[-1] ^ 1]))
    bad = invoke(capsys, "show", "tiny", "--verify")
    assert bad.code == 1
    assert f"{draft} is damaged." in bad.err
    assert str(store.installed()[0].state) == "partial"
    scene.pull()
    assert draft.read_bytes() == scene.draft
    assert invoke(capsys, "show", "tiny", "--verify").code == 0


def test_verify_what_is_not_here(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "show", "tiny", "--verify")
    assert done.code == 1
    assert "localspec pull tiny" in done.err


def test_an_unknown_name(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "show", "tinny")
    assert (done.code, done.out) == (2, "")
    assert "Nearest: tiny" in done.err


def test_every_shipped_entry_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for pair in catalog.pairs():
        assert pair.target.repo in invoke(capsys, "show", pair.name).out
