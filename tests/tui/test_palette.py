"""Everything that can be done is in the palette, and can be done from there."""

from __future__ import annotations

import pytest
from textual.command import CommandList, CommandPalette

from localspec.tui.commands import COMMANDS, needs_argument
from localspec.tui.key_table import key_table
from localspec.tui.palette import Entries, entries
from localspec.tui.screens.help import HelpScreen
from localspec.tui.screens.settings import SettingsScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply


async def choose(desk: Desk, text: str) -> None:
    """Type into the palette and take the first line."""
    await desk.pilot.press("ctrl+p")
    await desk.until(lambda: isinstance(desk.app.screen, CommandPalette))
    await desk.pilot.press(*("slash" if char == "/" else char for char in text))
    await desk.until(lambda: listed(desk) and text.split()[0] in listed(desk)[0].lower())
    await desk.pilot.press("enter")
    await desk.until(lambda: not isinstance(desk.app.screen, CommandPalette))
    await desk.pilot.pause()


def listed(desk: Desk) -> list[str]:
    options = desk.app.screen.query_one(CommandList).options
    return [str(option.prompt) for option in options]


async def test_every_action_and_every_command_is_there(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+p")
        await desk.until(lambda: len(listed(desk)) > 40)
        lines = "\n".join(listed(desk))
        for bound in key_table().values():
            if bound.scope in ("app", "chat", "prompt") and bound.id != "app.palette":
                assert bound.name in lines
                assert bound.meaning in lines
        for name, (_, meaning) in COMMANDS.items():
            assert f"/{name}" in lines
            assert meaning in lines


async def test_every_line_leads_to_something(open_desk: OpenDesk) -> None:
    """A line whose action no node has would do nothing."""
    async with open_desk(ScriptedBackend(reply(burst("1")))) as desk:
        await desk.ask("hi")
        for entry in list(entries(Entries(desk.app.screen))):
            run = entry.run
            if entry.name.startswith("/") or entry.name in ("Quit", "Stop or quit"):
                continue
            node = run.args[1] or desk.app  # type: ignore[attr-defined]
            target, name, _ = desk.app._parse_action(run.args[0], node)  # type: ignore[attr-defined]
            assert hasattr(target, f"action_{name}"), entry.name


@pytest.mark.parametrize("name", [name for name in COMMANDS if needs_argument(name)])
async def test_a_command_that_needs_an_argument_is_begun(open_desk: OpenDesk, name: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.chat.take_command(name)
        assert desk.prompt.text == f"/{name} "


async def test_what_was_being_written_comes_back(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press(*"draft")
        await choose(desk, "/temp")
        assert desk.prompt.text == "/temp "
        assert desk.prompt.has_focus
        await desk.pilot.press("1", "enter")
        assert "Temperature 1" in desk.hint
        await desk.pilot.press("up", "up")
        assert desk.prompt.text == "draft"


async def test_commands_and_actions_are_done(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await choose(desk, "/k")
        assert desk.prompt.text == "/k "
        await choose(desk, "speculation")
        assert "Speculation: off" in desk.hint
        await choose(desk, "/settings")
        assert isinstance(desk.app.screen, SettingsScreen)
        await desk.pilot.press("escape")
        await choose(desk, "/retry")
        await desk.until(lambda: "There is no message yet." in desk.hint)


async def test_a_refusal_is_said_not_raised(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        for name in ("save", "copy", "undo", "edit", "fork", "continue", "delete"):
            await desk.chat.take_command(name)
            assert desk.hint, name


async def test_a_chosen_turns_actions_are_offered(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst("answer")))) as desk:
        await desk.ask("hi")
        await desk.pilot.press("f9")
        await choose(desk, "copy")
        await desk.until(lambda: "copied" in desk.hint)


async def test_over_another_screen_it_offers_that_ones_actions(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s", "ctrl+p")
        await desk.until(lambda: "Rename" in desk.screen_text)
        assert "/retry" not in "\n".join(listed(desk))
        await desk.pilot.press("escape")
        await desk.until(lambda: not isinstance(desk.app.screen, CommandPalette))
        await desk.pilot.press("escape")
        assert desk.app.screen is desk.chat


async def test_twice_is_once_and_help_and_quit_work_above_it(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+p", "ctrl+p")
        assert len(desk.app.screen_stack) == 2
        await desk.pilot.press("f1")
        assert isinstance(desk.app.screen, HelpScreen)
        await desk.pilot.press("f1", "ctrl+q")
        assert desk.app._exit


async def test_it_opens_by_a_command_where_its_key_is_swallowed(open_desk: OpenDesk) -> None:
    """Docker and some editors keep Ctrl+P to themselves."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/palette")
        await desk.until(lambda: isinstance(desk.app.screen, CommandPalette))


async def test_brackets_in_a_line_are_no_markup(open_desk: OpenDesk) -> None:
    """[FILE] was read as markup, and gone while one searched."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+p", *"save")
        await desk.until(lambda: "/save [FILE]" in desk.screen_text)


async def test_there_is_one_palette_however_it_is_covered(open_desk: OpenDesk) -> None:
    """Ctrl+P in the help over the palette ended the chat with a traceback."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+p")
        await desk.until(lambda: isinstance(desk.app.screen, CommandPalette))
        await desk.pilot.press("f1")
        await desk.until(lambda: isinstance(desk.app.screen, HelpScreen))
        await desk.pilot.press("ctrl+p")
        await desk.until(lambda: isinstance(desk.app.screen, CommandPalette))


async def test_a_page_of_a_list_without_room_is_nothing(open_desk: OpenDesk) -> None:
    """Page down in a terminal of one column ended the chat with a KeyError."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+p")
        await desk.until(lambda: isinstance(desk.app.screen, CommandPalette) and listed(desk))
        await desk.pilot.resize_terminal(1, 1)
        await desk.pilot.press("pagedown", "pageup")
        assert isinstance(desk.app.screen, CommandPalette)
