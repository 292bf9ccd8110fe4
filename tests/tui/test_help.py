"""The page of keys, commands and marks."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from localspec.tui.commands import COMMANDS
from localspec.tui.screens.chat import ChatScreen
from localspec.tui.widgets.status import Light
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import ScriptedBackend


@pytest.mark.parametrize("width", [80, 94, 110])
async def test_a_long_meaning_wraps_under_itself(open_desk: OpenDesk, width: int) -> None:
    """The rest of a long line went on under the name of its key."""
    async with open_desk(ScriptedBackend(), size=(width, 180)) as desk:
        await desk.pilot.press("f1")
        await desk.until(lambda: "? context" in desk.screen_text)
        lines = desk.screen_text.splitlines()
        [top] = [line for line in lines if "/help" in line]
        names, meanings = top.index("/help"), top.index("keys and commands")
        inside = lines[lines.index(top) : next(i for i, s in enumerate(lines) if "? context" in s)]
        assert any(not line[:meanings].strip() and line.strip() for line in inside)
        assert all(not line[meanings - 1 : meanings].strip() for line in inside)
        assert all(not line[:names].strip() for line in inside)


async def test_every_key_and_command_is_listed(open_desk: OpenDesk) -> None:
    """A key that the help doesn't name is found by accident."""
    async with open_desk(ScriptedBackend(), size=(100, 130)) as desk:
        await desk.pilot.press("f1")
        await desk.until(lambda: "/quit" in desk.screen_text)
        for binding in ChatScreen.BINDINGS:
            assert isinstance(binding, Binding)
            for key in binding.key.split(","):
                assert key.replace("escape", "esc") in desk.screen_text
        for name in COMMANDS:
            assert f"/{name}" in desk.screen_text


async def test_every_mark_is_explained(open_desk: OpenDesk) -> None:
    """The help explained one of the marks only."""
    async with open_desk(ScriptedBackend(), size=(100, 130)) as desk:
        await desk.pilot.press("f1")
        await desk.until(lambda: all(light.value in desk.screen_text for light in Light))
        assert "? context" in desk.screen_text


@pytest.mark.parametrize("size", [(100, 30), (60, 20)])
async def test_the_way_out_is_always_in_view(open_desk: OpenDesk, size: tuple[int, int]) -> None:
    """Nothing on the screen said how to close it."""
    async with open_desk(ScriptedBackend(), size=size) as desk:
        await desk.pilot.press("f1")
        await desk.until(lambda: "esc closes" in desk.screen_text)
        await desk.pilot.press("end")
        await desk.until(lambda: "redo" in desk.screen_text)
        assert "esc closes" in desk.screen_text
