"""Each key does what the footer and the help say."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from localspec.tui.keys import read_whole_pastes
from localspec.tui.screens.help import HelpScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


async def test_enter_sends(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("hello")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("h", "i", "enter")
        await desk.until(lambda: backend.asked)
        assert backend.asked[0][0][-1].content == "hi"
        assert desk.prompt.text == ""


@pytest.mark.parametrize("key", ["ctrl+j", "alt+enter", "shift+enter"])
async def test_a_new_line_is_no_sending(open_desk: OpenDesk, key: str) -> None:
    backend = ScriptedBackend()
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("a", key, "b")
        assert desk.prompt.text == "a\nb"
        assert not backend.asked


async def test_nothing_is_on_ctrl_m_or_ctrl_i(open_desk: OpenDesk) -> None:
    """Those are Enter and Tab."""
    async with open_desk(ScriptedBackend()) as desk:
        taken = {key.key for key in desk.chat.active_bindings.values() for key in [key.binding]}
        assert not taken & {"ctrl+m", "ctrl+i"}


async def test_up_and_down_go_through_what_was_sent(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")), reply(burst("2")))
    async with open_desk(backend) as desk:
        await desk.ask("first")
        await desk.ask("second\nline")
        await desk.pilot.press("d", "r", "a", "f", "t", "up")
        assert desk.prompt.text == "second\nline"
        # Inside the text the arrows move the cursor.
        await desk.pilot.press("up", "up")
        assert desk.prompt.text == "first"
        await desk.pilot.press("down", "down", "down")
        assert desk.prompt.text == "draft"


async def test_a_paste_is_one_insertion_of_plain_text(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        desk.app.post_message(events.Paste("one\r\ntwo\rthree\x1b[31m"))
        await desk.until(lambda: desk.prompt.text)
        assert desk.prompt.text == "one\ntwo\nthree[31m"
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.text == ""


def test_a_paste_may_be_read_in_any_pieces() -> None:
    """The end of a paste that came in two reads was pasted, and so was all that followed."""
    read_whole_pastes()
    keys = "a\x1b[200~one\rtwo \x1b[20\0\x1b[201~b\x1b[200~\x1b[201~c"
    for size in (*range(9, len(keys)), len(keys)):
        parser = XTermParser()
        pieces = [keys[place : place + size] for place in range(0, len(keys), size)]
        read = [event for piece in pieces for event in parser.feed(piece)]
        pasted = [event.text for event in read if isinstance(event, events.Paste)]
        typed = [event.character for event in read if isinstance(event, events.Key)]
        assert "".join(pasted) == "one\rtwo \x1b[20", size
        assert typed == ["a", "b", "c"], size


async def test_escape_stops_the_reply_and_keeps_it(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half a", " reply"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half a reply" in desk.screen_text)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "stopped" in desk.screen_text)
        assert "half a reply" in desk.screen_text


async def test_escape_before_the_first_token_gives_the_question_back(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("a long question")
        await desk.phase(Phase.REPLYING)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        assert desk.prompt.text == "a long question"
        assert desk.chat._dialogue.turns == []


async def test_ctrl_c_stops_a_reply(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.pilot.press("ctrl+c")
        await desk.phase(Phase.READY)
        assert desk.app.is_running
        assert "Ctrl+C" not in desk.hint


async def test_ctrl_c_twice_quits(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+c")
        assert desk.hint == "Press Ctrl+C again to quit."
        assert not desk.app._exit
        await desk.pilot.press("ctrl+c")
        assert desk.app._exit
        assert desk.app.return_code == 0


async def test_a_late_second_ctrl_c_asks_again(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+c")
        desk.clock.now += 60
        await desk.pilot.press("ctrl+c")
        assert not desk.app._exit


async def test_ctrl_c_copies_a_selection(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("c", "o", "p", "y", "shift+home", "ctrl+c")
        assert desk.app.clipboard == "copy"
        assert not desk.app._exit


async def test_ctrl_c_copies_a_selection_of_the_transcript(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("the reply")))
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        desk.chat.text_select_all()
        await desk.pilot.press("ctrl+c")
        assert "the reply" in desk.app.clipboard


async def test_ctrl_q_quits(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press("ctrl+q")
        assert desk.app._exit


async def test_f1_shows_the_help_and_closes_it(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("f1")
        assert isinstance(desk.app.screen, HelpScreen)
        assert "Writing" in desk.screen_text
        await desk.pilot.press("f1")
        assert desk.app.screen is desk.chat
        await desk.pilot.press("f1", "escape")
        assert desk.app.screen is desk.chat


async def test_f2_switches_speculation_between_turns_without_loading(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")), reply(burst("2")), reply(burst("3")))
    async with open_desk(backend, spec="suffix") as desk:
        await desk.ask("one")
        await desk.pilot.press("f2")
        assert "Speculation: off" in desk.hint
        assert desk.status.endswith("○ off (turned off)")
        await desk.ask("two")
        await desk.pilot.press("f2")
        await desk.ask("three")
        assert [request.spec for _, request in backend.asked] == ["suffix", "off", "suffix"]
        assert backend.num_loads == 1


async def test_f2_is_in_the_footer(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.until(lambda: "f2 Speculation" in desk.screen_text)


async def test_page_keys_scroll_and_ctrl_end_follows_again(open_desk: OpenDesk) -> None:
    long = burst("\n\n".join(f"paragraph {n}" for n in range(60)))
    backend = ScriptedBackend([long, HOLD, burst("\n\nthe very end"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "paragraph 59" in desk.screen_text)
        await desk.pilot.press("pageup")
        backend.go_on()
        await desk.until(lambda: "the very end" in desk.chat._talk._turn._reply.text)
        await desk.pilot.pause(0.2)
        assert "the very end" not in desk.screen_text
        await desk.pilot.press("ctrl+end")
        await desk.until(lambda: "the very end" in desk.screen_text)


async def test_fast_typing_keeps_its_order(open_desk: OpenDesk) -> None:
    """Keys that arrive in one read, as over a slow line."""
    backend = ScriptedBackend([HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        for key in ("a", "ctrl+j", "b", "enter", "c", "ctrl+j", "d"):
            character = key if len(key) == 1 else None
            desk.app.post_message(events.Key(key, character))
        await desk.until(lambda: backend.asked and desk.prompt.text == "c\nd")
        assert backend.asked[0][0][-1].content == "a\nb"


async def test_commands_are_offered_and_completed(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("/")
        await desk.until(lambda: " more" in desk.screen_text)
        await desk.pilot.press("s", "e")
        await desk.until(lambda: "/settings" in desk.screen_text)
        assert "/search TEXT" in desk.screen_text
        await desk.pilot.press("t", "tab")
        assert desk.prompt.text == "/settings"
        await desk.pilot.press("ctrl+u", *"/exp", "tab", "x")
        assert desk.prompt.text == "/export x"
        await desk.until(lambda: "as .json" not in desk.screen_text)
        await desk.pilot.press("ctrl+u", *"/zz", "tab")
        assert desk.app.focused is not desk.prompt or desk.prompt.text == "/zz"


async def test_every_binding_of_the_chat_screen_has_an_id_and_a_line_of_help(
    open_desk: OpenDesk,
) -> None:
    """Keys are remapped by id."""
    async with open_desk(ScriptedBackend(), size=(100, 120)) as desk:
        await desk.phase(Phase.READY)
        bindings = [active.binding for active in desk.chat.active_bindings.values()]
        own = [binding for binding in bindings if binding in type(desk.chat).BINDINGS]
        await desk.pilot.press("f1")
        for binding in own:
            assert binding.id
            for key in binding.key.split(","):
                assert key.replace("escape", "esc") in desk.screen_text
