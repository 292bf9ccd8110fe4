"""Versions, forks, edits and what else is done with turns: by command and by key."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished, reply


def replies(*texts: str) -> ScriptedBackend:
    return ScriptedBackend(*(reply(burst(text)) for text in texts))


def asked(backend: ScriptedBackend, number: int = -1) -> list[str]:
    return [message.content for message in backend.asked[number][0]]


def shown(desk: Desk) -> list[str]:
    return [turn.content for turn in desk.chat._dialogue.turns]


@pytest.mark.parametrize("how", ["/retry", "/regen", "ctrl+r"])
async def test_retry_keeps_the_versions(open_desk: OpenDesk, history: History, how: str) -> None:
    backend = replies("the first", "the second")
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await (desk.send(how) if how.startswith("/") else desk.pilot.press(how))
        await desk.until(lambda: "the second" in desk.screen_text)
        await desk.phase(Phase.READY)
        assert asked(backend) == ["hi"]
        assert "the first" not in desk.screen_text
        assert "‹ 2 of 2 ›" in desk.screen_text
        await desk.pilot.press("left")
        await desk.until(lambda: "the first" in desk.screen_text)
        assert "‹ 1 of 2 ›" in desk.screen_text
        assert "tok/s" in desk.screen_text
        await desk.pilot.press("left")
        assert "There is no older version." in desk.hint
        await desk.pilot.press("right")
        await desk.until(lambda: "the second" in desk.screen_text)
        conversation = desk.app.conversation
        await desk.pilot.press("left")
    assert conversation is not None
    # What was looked at last is what is resumed.
    assert [message.content for message in history.messages(conversation)] == ["hi", "the first"]
    assert len(list(history.tree(conversation))) == 3


async def test_arrows_move_the_cursor_when_there_is_text(open_desk: OpenDesk) -> None:
    async with open_desk(replies("one", "two")) as desk:
        await desk.ask("hi")
        await desk.ask("/retry")
        await desk.phase(Phase.READY)
        await desk.pilot.press("a", "left", "b")
        assert desk.prompt.text == "ba"
        assert shown(desk) == ["hi", "two"]


async def test_a_retry_that_is_stopped_at_once_changes_nothing(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("the reply")), [HOLD])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await desk.send("/retry")
        await desk.until(lambda: "the reply" not in desk.screen_text)
        await desk.pilot.press("escape")
        await desk.until(lambda: "the reply" in desk.screen_text)
        assert desk.prompt.text == ""
        assert shown(desk) == ["hi", "the reply"]
        assert " of " not in desk.screen_text


async def test_editing_makes_a_version_and_keeps_what_followed(
    open_desk: OpenDesk, history: History
) -> None:
    backend = replies("one", "two", "three")
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.ask("second")
        await desk.pilot.press(*"a draft")
        # Up to the second question, its reply is chosen first.
        await desk.pilot.press("f9", "up", "up", "up")
        assert "▸ your message" in desk.screen_text
        await desk.pilot.press("e")
        assert desk.prompt.text == "first"
        await desk.pilot.press("!", "enter")
        await desk.until(lambda: "three" in desk.screen_text)
        await desk.phase(Phase.READY)
        assert asked(backend) == ["first!"]
        assert shown(desk) == ["first!", "three"]
        assert desk.prompt.text == "a draft"
        await desk.pilot.press("f9", "up", "left")
        await desk.until(lambda: "second" in desk.screen_text)
        assert shown(desk) == ["first", "one", "second", "two"]
        assert "▸ your message  ‹ 1 of 2 ›" in desk.screen_text


async def test_escape_leaves_an_edit(open_desk: OpenDesk) -> None:
    backend = replies("one", "two")
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.send("/edit")
        assert desk.prompt.text == "first"
        await desk.pilot.press("x", "escape")
        assert desk.prompt.text == ""
        await desk.ask("second")
        assert asked(backend) == ["first", "one", "second"]


async def test_an_edit_that_is_stopped_at_once_gives_the_text_back(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("one")), [HOLD])
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.send("/edit")
        await desk.pilot.press("!", "enter")
        await desk.phase(Phase.REPLYING)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "one" in desk.screen_text)
        assert desk.prompt.text == "first!"
        assert shown(desk) == ["first", "one"]


async def test_undo_takes_the_last_message_back(open_desk: OpenDesk) -> None:
    backend = replies("one", "two", "three")
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.ask("second")
        await desk.send("/undo")
        assert desk.prompt.text == "second"
        assert shown(desk) == ["first", "one"]
        assert "second" not in desk.transcript.screen.query("Question").last().render().plain
        await desk.pilot.press("enter")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "three" in desk.screen_text)
        assert asked(backend) == ["first", "one", "second"]
        assert "‹ 2 of 2 ›" in desk.screen_text


async def test_a_stopped_reply_is_continued(open_desk: OpenDesk, history: History) -> None:
    backend = ScriptedBackend([burst("one two"), HOLD], reply(burst(" three", " four")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "one two" in desk.screen_text)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "stopped" in desk.screen_text)
        await desk.send("/continue")
        await desk.until(lambda: "one two three four" in desk.screen_text)
        await desk.phase(Phase.READY)
        assert backend.asked[1][0] == [Message("user", "hi"), Message("assistant", "one two")]
        await desk.until(lambda: "· continued" in desk.screen_text)
        assert "stopped" not in desk.screen_text
        assert desk.app.conversation is not None
        nodes = list(history.tree(desk.app.conversation))
        assert [node.content for node in nodes] == ["hi", "one two three four"]


@pytest.mark.parametrize("ending", [[finished("")], [HOLD]])
async def test_a_reply_that_has_no_more_stays_as_it_is(
    open_desk: OpenDesk, history: History, ending: list[object]
) -> None:
    backend = ScriptedBackend(reply(burst("all", " of it")), ending)  # type: ignore[arg-type]
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        before = desk.screen_text
        await desk.send("/continue")
        await desk.until(lambda: len(backend.asked) == 2)
        if ending == [HOLD]:
            await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "2 tokens" in desk.screen_text)
        assert shown(desk) == ["hi", "all of it"]
        assert [line for line in before.splitlines() if "2 tokens" in line] == [
            line for line in desk.screen_text.splitlines() if "2 tokens" in line
        ]


async def test_a_reply_of_a_grammar_is_not_continued(open_desk: OpenDesk) -> None:
    backend = replies("{")
    async with open_desk(backend, json_schema="{}") as desk:
        await desk.ask("hi")
        await desk.send("/continue")
        assert "follows a grammar" in desk.hint
        assert len(backend.asked) == 1


async def test_fork_goes_on_from_any_turn(open_desk: OpenDesk, history: History) -> None:
    backend = replies("one", "two", "three")
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.ask("second")
        before = desk.app.conversation
        await desk.pilot.press("f9", "up", "up", "f")
        await desk.until(lambda: "conversation of its own" in desk.hint)
        assert desk.app.conversation != before
        assert shown(desk) == ["first", "one"]
        await desk.ask("another")
        assert asked(backend) == ["first", "one", "another"]
        assert before is not None
        assert len(history.messages(before)) == 4
        assert desk.app.conversation is not None
        assert len(history.messages(desk.app.conversation)) == 4


async def test_copy_is_the_raw_reply(open_desk: OpenDesk) -> None:
    raw = "# Title\n\n- **bold** `code`\n\n```py\nx = 1\n```\n\x1b[31m"
    async with open_desk(replies(raw, "last")) as desk:
        await desk.ask("hi")
        await desk.ask("more")
        await desk.send("/copy")
        assert desk.app.clipboard == "last"
        await desk.pilot.press("f9", "up", "up", "y")
        assert desk.app.clipboard == raw
        await desk.pilot.press("up", "y", "escape", "x")
        assert desk.app.clipboard == "hi"
        assert desk.prompt.text == "x"


async def test_save_and_export_write_files_and_never_over_one(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_desk(replies("**raw** reply")) as desk:
        await desk.ask("What is a cache?")
        for _ in range(2):
            await desk.send("/save")
            await desk.send("/export")
        await desk.send('/save "my file.txt"')
        await desk.send("/export all.json")
        await desk.send("/export all.json")
        assert "already" in desk.hint
        await desk.send("/save /nowhere/at/all")
        assert "can't be written" in desk.hint
    names = {file.name for file in tmp_path.iterdir() if "sqlite" not in file.name}
    assert names == {
        "reply.md", "reply-2.md", "what-is-a-cache.md", "what-is-a-cache-2.md", "my file.txt",
        "all.json",
    }  # fmt: skip
    assert (tmp_path / "my file.txt").read_text() == "**raw** reply"


async def test_an_exported_conversation_is_imported_and_goes_on(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    backend = replies("one", "two")
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.send(f"/export {tmp_path / 'a.md'}")
        before = desk.app.conversation
        await desk.send("/new")
        await desk.send(f"/import {tmp_path / 'a.md'}")
        await desk.until(lambda: "first" in desk.screen_text and "one" in desk.screen_text)
        assert desk.app.conversation != before
        await desk.ask("second")
        assert asked(backend) == ["first", "one", "second"]


@pytest.mark.parametrize("line", ["/import", "/import ~nobody-has-this-name/a.md"])
async def test_a_file_that_can_not_be_imported_changes_nothing(
    open_desk: OpenDesk, line: str
) -> None:
    """A name after ~ that no user has ended the chat."""
    async with open_desk(replies("one")) as desk:
        await desk.ask("first")
        await desk.send(line)
        await desk.until(lambda: desk.hint)
        assert shown(desk) == ["first", "one"]


async def test_rename_and_delete_and_undo(open_desk: OpenDesk, history: History) -> None:
    async with open_desk(replies("one")) as desk:
        await desk.ask("first")
        await desk.send("/rename [b]A title[/b] \u202e")
        assert history.conversations()[0].given_title == "[b]A title[/b] \u202e"
        await desk.send("/delete")
        assert history.conversations() == []
        assert "first" not in desk.screen_text
        await desk.send("/undo")
        await desk.until(lambda: "first" in desk.screen_text)
        assert len(history.conversations()) == 1
        await desk.send("/rename off")
        assert history.conversations()[0].title == "first"


async def test_nothing_is_turned_over_while_a_reply_runs(
    open_desk: OpenDesk, history: History
) -> None:
    other = history.start("pair")
    history.append(other, Message("user", "other"))
    backend = ScriptedBackend(reply(burst("one")), [burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.send("second")
        await desk.until(lambda: "half" in desk.screen_text)
        for line in ("/new", "/undo", "/fork", "/delete", "/retry", "/continue"):
            await desk.send(line)
            assert "A reply is running" in desk.hint
        for key in ("ctrl+n", "ctrl+r", "f9", "left"):
            await desk.send("/copy")
            await desk.pilot.press(key)
            assert "A reply is running" in desk.hint
        assert shown(desk)[-1] in ("second", "half")


async def test_a_question_that_a_killed_process_left_can_be_asked_again(
    open_desk: OpenDesk, history: History
) -> None:
    conversation = history.start("pair")
    history.append(conversation, Message("user", "left alone"), system="Be brief.")
    backend = replies("at last")
    async with open_desk(backend, conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/retry")
        await desk.until(lambda: "at last" in desk.screen_text)
        await desk.phase(Phase.READY)
    assert asked(backend) == ["Be brief.", "left alone"]
    assert [m.content for m in history.messages(conversation)] == ["left alone", "at last"]


async def test_turns_before_the_drawn_ones_can_be_reached(
    open_desk: OpenDesk, history: History
) -> None:
    conversation = history.start("pair")
    for number in range(40):
        history.append(conversation, Message("user", f"question {number}"))
        history.append(conversation, Message("assistant", f"answer {number}"))
    async with open_desk(replies("ok"), conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("f9", *["up"] * 65)
        marks = desk.transcript._marks
        await desk.until(lambda: any(mark.has_focus for mark in desk.transcript._marks))
        [chosen] = [mark.node for mark in marks if mark.has_focus]
        assert chosen is not None
        assert chosen.content == "question 7"
        await desk.pilot.press("f")
        await desk.until(lambda: len(shown(desk)) == 15)


async def test_what_a_conversation_grows_by_is_all_that_is_drawn(
    open_desk: OpenDesk, history: History
) -> None:
    """A conversation of more than sixty turns was drawn anew for each question."""
    conversation = history.start("pair")
    for number in range(70):
        history.append(conversation, Message("user", f"question {number}"))
    async with open_desk(replies("ok"), conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        before = list(desk.transcript._marks)
        await desk.ask("more")
        assert desk.transcript._marks[: len(before)] == before
