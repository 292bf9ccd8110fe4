"""Slash commands are orders to the screen, never messages to the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec.tui.screens.help import HelpScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/unknown", "There is no command /unknown."),
        ("/tmep 1", "Did you mean /temp?"),
        ("/temp hot", "temperature must be a number, not hot."),
        ("/temp ten", "not ten"),
        ("/temp 99", "temperature must be between 0 and 10"),
        ("/temp nan", "temperature must be between 0 and 10"),
        (
            "/spec sometimes",
            "Speculation can be auto, off, draft, suffix, predicted, not sometimes.",
        ),
        ("/k 0", "must be auto or a number from 1 to 32, not 0."),
        ("/k many", "must be auto or a number from 1 to 32, not many."),
        ("/retry", "There is no message yet."),
        ("/continue", "There is no message yet."),
        ("/fork", "There is no message yet."),
        ("/edit", "There is no message to edit."),
        ("/undo", "There is no message to take back."),
        ("/copy", "There is no reply yet."),
        ("/save", "There is no reply yet."),
        ("/export", "Nothing of this conversation is saved yet."),
        ("/delete", "Nothing of this conversation is saved yet."),
        ("/rename x", "Nothing of this conversation is saved yet."),
        ("/rename", "/rename takes a title"),
        ("/import nowhere", "There is no nowhere."),
        ("/preset nowhere", "There is no preset nowhere."),
        ("/preset save ../up", "can't be a preset's name."),
        ("/model nowhere", 'No model is called "nowhere".'),
        ("/", "There is no command /."),
        ("/[bold]x", "There is no command /[bold]x."),
    ],
)
async def test_a_wrong_command_is_an_error_on_the_screen(
    open_desk: OpenDesk, line: str, said: str
) -> None:
    backend = ScriptedBackend()
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send(line)
        assert said in desk.hint
        assert not backend.asked
        assert not backend.closed
        assert desk.chat._talk.phase is Phase.READY


@pytest.mark.parametrize("line", ["/hlep", "/temp hot", "/model nowhere"])
async def test_up_brings_a_wrong_command_back_to_be_mended(open_desk: OpenDesk, line: str) -> None:
    """A failed command stayed in the prompt, and the next one was appended to it."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send(line)
        assert desk.prompt.text == ""
        await desk.pilot.press("up")
        assert desk.prompt.text == line


@pytest.mark.parametrize(
    ("line", "said"),
    [("/temp", "The temperature is 0.5; /temp X"), ("/spec", "Speculation is suffix; /spec auto|")],
)
async def test_a_command_alone_shows_the_value(open_desk: OpenDesk, line: str, said: str) -> None:
    """`/temp` alone answered that it takes a number, not nothing."""
    async with open_desk(ScriptedBackend(), temperature=0.5, spec="suffix") as desk:
        await desk.phase(Phase.READY)
        await desk.send(line)
        assert said in desk.hint


async def test_files_go_with_the_next_message_and_only_with_that(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.txt").write_text("the reply\n")
    backend = ScriptedBackend(reply(burst("1")), reply(burst("2")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send(f"/file {tmp_path / 'a.py'}")
        assert "With the next message: " in desk.hint
        await desk.send(f"/predict '{tmp_path / 'b.txt'}'")
        assert "Predicted as the next reply: " in desk.hint
        await desk.ask("one")
        await desk.ask("two")
        [(first, request), (second, later)] = backend.asked
        assert first[-1].content == "one\n\na.py:\n\n```py\nx = 1\n```"
        assert second[-1].content == "two"
        assert (request.predict, later.predict) == (("the reply\n",), ())


async def test_handed_files_can_be_taken_back(open_desk: OpenDesk, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        for name, nothing in (("file", "No file is attached"), ("predict", "Nothing is predicted")):
            await desk.send(f"/{name} {tmp_path / 'a'}")
            await desk.send(f"/{name}")
            assert str(tmp_path / "a")[:20] in desk.hint
            await desk.send(f"/{name} off")
            assert nothing in desk.hint
            await desk.send(f"/{name} {tmp_path / 'absent'}")
            assert "There is no " in desk.hint
        await desk.ask("one")
        [(messages, request)] = backend.asked
        assert (messages[-1].content, request.predict) == ("one", ())


async def test_an_old_name_of_a_mode_is_taken(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(), spec="ngram") as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("· suffix")
        await desk.send("/spec off")
        await desk.send("/spec ngram")
        assert desk.hint.startswith("Speculation: suffix")


async def test_a_space_before_the_slash_makes_it_a_message(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("ok")))
    async with open_desk(backend) as desk:
        await desk.ask(" /usr/bin is what?")
        assert backend.asked[0][0][-1].content == "/usr/bin is what?"


async def test_temp_and_system_and_spec_are_those_of_the_next_reply(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")), reply(burst("2")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        for line in ("/temp 0", "/system Be brief.", "/spec off"):
            await desk.send(line)
        await desk.ask("one")
        messages, request = backend.asked[0]
        assert [message.role for message in messages] == ["system", "user"]
        assert messages[0].content == "Be brief."
        assert request.sampling.temperature == 0
        assert request.spec == "off"
        await desk.send("/system off")
        await desk.ask("two")
        assert backend.asked[1][0][0].role == "user"
        assert backend.num_loads == 1


async def test_each_reply_has_a_seed_of_its_own(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(*(reply(burst("x")) for _ in range(4)))
    async with open_desk(backend) as desk:
        for _ in range(4):
            await desk.ask("again")
        assert len({request.sampling.seed for _, request in backend.asked}) > 1


async def test_new_begins_a_new_conversation_and_keeps_the_old(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("old reply")), reply(burst("new")))
    async with open_desk(backend) as desk:
        await desk.ask("old")
        await desk.send("/new")
        assert "old reply" not in desk.screen_text
        assert " 0 / 8,192 context" in desk.status
        await desk.ask("new question")
        assert [message.content for message in backend.asked[1][0]] == ["new question"]
        assert len(desk.chat._dialogue._history.conversations()) == 2


async def test_new_waits_for_the_reply(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.send("/clear")
        assert "A reply is running." in desk.hint
        assert "half" in desk.screen_text


async def test_model_changes_the_model_and_keeps_the_conversation(open_desk: OpenDesk) -> None:
    first = ScriptedBackend(reply(burst("from the first")))
    second = ScriptedBackend(reply(burst("from the second")))
    async with open_desk({"one": first, "two": second}) as desk:
        await desk.ask("hi")
        await desk.send("/model two")
        await desk.ask("and now?")
        assert first.closed
        assert [message.content for message in second.asked[0][0]] == [
            "hi",
            "from the first",
            "and now?",
        ]


async def test_model_in_the_middle_of_a_reply_keeps_what_there_is(open_desk: OpenDesk) -> None:
    first = ScriptedBackend([burst("half a reply"), HOLD])
    second = ScriptedBackend(reply(burst("ok")))
    async with open_desk({"one": first, "two": second}) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half a reply" in desk.screen_text)
        await desk.send("/model two")
        await desk.ask("go on")
        assert [message.content for message in second.asked[0][0]] == [
            "hi",
            "half a reply",
            "go on",
        ]


async def test_help_and_quit(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/help")
        assert isinstance(desk.app.screen, HelpScreen)
        await desk.pilot.press("f1")
        await desk.send("/quit")
        assert desk.app._exit
