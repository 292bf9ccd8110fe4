"""Ctrl+C means the same on every screen (B29)."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst

OVER = ["f1", "ctrl+s", "f8", "ctrl+p", "theme"]


async def open_over(desk: Desk, opened: str) -> None:
    await desk.phase(Phase.READY)
    if opened == "theme":
        await desk.send("/theme")
    else:
        await desk.pilot.press(opened)
    await desk.until(lambda: desk.app.screen is not desk.chat)


def notices(desk: Desk) -> str:
    return " ".join(note.message for note in desk.app._notifications)


@pytest.mark.parametrize("opened", OVER)
async def test_twice_quits(open_desk: OpenDesk, opened: str) -> None:
    """Above another screen it told to press Ctrl+Q."""
    async with open_desk(ScriptedBackend()) as desk:
        await open_over(desk, opened)
        await desk.pilot.press("ctrl+c")
        assert notices(desk) == "Press Ctrl+C again to quit."
        assert not desk.app._exit
        await desk.pilot.press("ctrl+c")
        assert desk.app._exit
        assert desk.app.return_code == 0


@pytest.mark.parametrize("opened", OVER)
async def test_a_running_reply_is_stopped(open_desk: OpenDesk, opened: str) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        if opened == "theme":
            await desk.send("hi")
            await desk.send("/theme")
        else:
            await desk.send("hi")
            await desk.pilot.press(opened)
        await desk.until(lambda: desk.app.screen is not desk.chat)
        await desk.pilot.press("ctrl+c")
        await desk.phase(Phase.READY)
        assert "The reply is stopped." in notices(desk)
        assert not desk.app._exit


@pytest.mark.parametrize("opened", ["ctrl+s", "f8", "ctrl+p"])
async def test_a_selection_in_a_field_is_copied(open_desk: OpenDesk, opened: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await open_over(desk, opened)
        assert isinstance(desk.app.focused, Input)
        await desk.pilot.press("home", "shift+end", *"copy", "shift+home", "ctrl+c")
        assert desk.app.clipboard == "copy"
        assert "Copied." in notices(desk)
        assert not desk.app._exit


async def test_a_selection_in_the_system_prompt_is_copied(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(), system="Be brief.") as desk:
        await open_over(desk, "f8")
        desk.app.screen.query_one("#system").focus()
        await desk.pilot.press("ctrl+home", "ctrl+shift+end", "shift+end", "ctrl+c")
        assert desk.app.clipboard == "Be brief."


async def test_what_is_selected_in_the_help_is_copied(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await open_over(desk, "f1")
        desk.app.screen.text_select_all()
        await desk.pilot.press("ctrl+c")
        assert "Everywhere" in desk.app.clipboard


async def test_typing_between_two_presses_disarms(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        for keys in (["x"], ["ctrl+s", "x"]):
            await desk.pilot.press("ctrl+c", *keys)
            await desk.pilot.pause()
            await desk.pilot.press("ctrl+c")
            assert not desk.app._exit
            desk.clock.now += 60


async def test_pressed_while_a_model_loads_it_asks_and_then_quits(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(loading=[HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.pilot.press("ctrl+c")
        assert "again to quit" in desk.hint
        await desk.pilot.press("ctrl+c")
        assert desk.app._exit
    assert backend.closed


@pytest.mark.parametrize("opened", OVER)
async def test_escape_closes_every_screen(open_desk: OpenDesk, opened: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await open_over(desk, opened)
        await desk.pilot.press("escape")
        await desk.until(lambda: desk.app.screen is desk.chat)
