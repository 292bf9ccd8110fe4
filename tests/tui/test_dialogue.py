"""What is said is saved, whatever happens to the file and whoever else writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from localspec.chat.history import History
from localspec.errors import LocalspecError
from localspec.tui.dialogue import UNFINISHED, Dialogue
from tests.tui.conftest import Clock


class Scene:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.faults: list[str] = []
        self.history = History(path, patience_s=0.01)
        self.dialogue = Dialogue(self.history, self.clock, self.faults.append)
        self.dialogue.model = "pair"

    def exchange(self, question: str, answer: str) -> None:
        self.dialogue.ask(question)
        self.dialogue.grow(answer[:1])
        self.dialogue.conclude(answer, {"num_tokens": 1})

    @property
    def saved(self) -> list[str]:
        """As another process would read it."""
        other = History(self.path)
        latest = other.latest()
        contents = [m.content for m in other.messages(latest.id)] if latest else []
        other.close()
        return contents


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path / "history.sqlite3")
    yield scene
    scene.history.close()


def test_a_question_is_saved_before_its_reply(scene: Scene) -> None:
    scene.dialogue.ask("hi")
    assert scene.saved == ["hi"]


def test_a_killed_process_loses_a_second_of_the_reply_at_most(scene: Scene) -> None:
    scene.dialogue.ask("hi")
    for tenths in range(35):
        scene.clock.now = 100 + tenths / 10
        scene.dialogue.grow("x" * (tenths + 1))
        assert len(scene.saved[1]) > tenths - 10
    other = History(scene.path)
    latest = other.latest()
    assert latest is not None
    # And it is told from one that came to its end.
    assert other.tree(latest.id).path[-1].stats == UNFINISHED
    other.close()


def test_what_a_file_did_not_take_is_written_when_it_can_be(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one failed write nothing more of a conversation was saved."""
    scene.exchange("one", "1")

    def full(*_: object, **__: object) -> int:
        raise LocalspecError("The disk is full.")

    for name in ("append", "update", "show"):
        monkeypatch.setattr(scene.history, name, full)
    scene.exchange("two", "2")
    scene.exchange("three", "3")
    scene.dialogue.browse(scene.dialogue.ask("two, edited", scene.dialogue.path[2]), -1)
    assert scene.faults == ["This conversation can't be saved: The disk is full."]
    assert scene.saved == ["one", "1"]
    monkeypatch.undo()
    assert scene.dialogue.turns[-1].content == "3"
    scene.exchange("four", "4")
    assert scene.saved == ["one", "1", "two", "2", "three", "3", "four", "4"]
    tree = scene.history.tree(scene.dialogue.conversation or 0)
    assert "two, edited" in [node.content for node in tree]
    assert len(scene.faults) == 1


def test_a_file_that_can_not_be_written_is_seldom_tried_while_a_reply_grows(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try may wait for a lock, and the screen with it."""
    tries = []

    def locked(*_: object, **__: object) -> int:
        tries.append(1)
        raise LocalspecError("It is locked.")

    monkeypatch.setattr(scene.history, "append", locked)
    scene.dialogue.ask("hi")
    for tenths in range(100):
        scene.clock.now = 100 + tenths / 10
        scene.dialogue.grow("x" * (tenths + 1))
    assert len(tries) <= 4


@pytest.mark.parametrize("restart", [True, False])
def test_a_conversation_that_another_process_deleted_is_saved_anew(
    scene: Scene, restart: bool
) -> None:
    scene.exchange("one", "1")
    other = History(scene.path)
    assert scene.dialogue.conversation is not None
    other.delete(scene.dialogue.conversation)
    if restart:
        other.close()
    scene.exchange("two", "2")
    if not restart:
        other.close()
    assert scene.saved == ["one", "1", "two", "2"]
    assert scene.faults == []


def test_a_reply_that_grows_while_its_conversation_is_deleted(scene: Scene) -> None:
    scene.dialogue.ask("one")
    scene.dialogue.grow("1")
    other = History(scene.path)
    other.delete(scene.dialogue.conversation or 0)
    other.close()
    scene.dialogue.conclude("1 2", {})
    assert scene.saved == ["one", "1 2"]


def test_two_screens_on_one_conversation_make_branches(scene: Scene) -> None:
    scene.exchange("one", "1")
    second = Scene(scene.path)
    second.dialogue.reopen(scene.dialogue.conversation or 0)
    second.exchange("from the second", "2")
    scene.exchange("from the first", "3")
    assert scene.saved == ["one", "1", "from the first", "3"]
    tree = second.history.tree(scene.dialogue.conversation or 0)
    assert [node.content for node in tree] == [
        "one", "1", "from the second", "2", "from the first", "3",
    ]  # fmt: skip
    second.history.close()


def test_a_bad_number_leaves_the_open_conversation(scene: Scene) -> None:
    scene.exchange("one", "1")
    with pytest.raises(LocalspecError, match="no conversation 99"):
        scene.dialogue.reopen(99)
    scene.exchange("two", "2")
    assert scene.saved == ["one", "1", "two", "2"]


def test_the_system_prompt_of_each_question_is_kept(scene: Scene) -> None:
    scene.dialogue.system = "Brief."
    scene.exchange("one", "1")
    scene.dialogue.system = ""
    scene.exchange("two", "2")
    scene.dialogue.browse(scene.dialogue.ask("one, edited", scene.dialogue.path[0]), -1)
    path = scene.history.tree(scene.dialogue.conversation or 0).path
    assert [node.system for node in path] == ["Brief.", "", "", ""]
    second = Scene(scene.path)
    second.dialogue.system = "Other."
    second.dialogue.reopen(scene.dialogue.conversation or 0)
    assert second.dialogue.system == ""
    second.history.close()


def test_what_a_file_did_not_take_is_tried_once_more_at_the_end(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise LocalspecError("The disk is full.")

    monkeypatch.setattr(scene.history, "append", full)
    scene.exchange("one", "1")
    monkeypatch.undo()
    scene.dialogue.close()
    assert scene.saved == ["one", "1"]
