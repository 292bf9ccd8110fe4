"""/theme: looked at, taken, gone back from, and remembered."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from localspec import paths
from localspec.tui import remembered
from localspec.tui.screens.themes import ThemeScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import ScriptedBackend

BROKEN = "broken.toml was left out"


async def opened(desk: Desk, by: str) -> OptionList:
    await desk.phase(Phase.READY)
    if by == "/theme":
        await desk.send("/theme")
    else:
        desk.app.action_change_theme()
    await desk.until(lambda: isinstance(desk.app.screen, ThemeScreen))
    await desk.pilot.pause()
    return desk.app.screen.query_one(OptionList)


@pytest.mark.parametrize("by", ["/theme", "palette"])
async def test_the_screen_wears_the_theme_under_the_cursor(open_desk: OpenDesk, by: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        options = await opened(desk, by)
        assert options.highlighted_option is not None
        assert options.highlighted_option.id == "localspec-dark" == desk.app.theme
        await desk.pilot.press("down")
        await desk.until(lambda: desk.app.theme == "localspec-dusk")
        await desk.pilot.press("escape")
        await desk.pilot.pause()
        assert desk.app.theme == "localspec-dark"
        assert desk.app.screen is desk.chat
        assert remembered.recall("theme") == ""


async def test_enter_keeps_it_for_the_next_start(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await opened(desk, "/theme")
        await desk.pilot.press("down", "enter")
        await desk.pilot.pause()
        assert desk.app.theme == "localspec-dusk"
    async with open_desk(ScriptedBackend()) as desk:
        assert desk.app.theme == "localspec-dusk"


@pytest.mark.parametrize("name", ["localspec-sepia", "sepia"])
async def test_a_name_is_taken_at_once(open_desk: OpenDesk, name: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send(f"/theme {name}")
        assert desk.app.theme == "localspec-sepia"
        assert desk.hint == "Theme localspec-sepia."
        assert remembered.recall("theme") == "localspec-sepia"


async def test_an_unknown_name_changes_nothing(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/theme localspec-drak")
        assert "Did you mean localspec-dark?" in desk.hint
        await desk.send("/theme ../../etc/passwd")
        assert "/theme shows them all." in desk.hint
        assert desk.app.theme == "localspec-dark"


async def test_what_is_set_is_stronger_than_what_is_remembered(open_desk: OpenDesk) -> None:
    """A flag or the config file must not lose against yesterday's choice; it is never rewritten."""
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text('theme = "localspec-light"\n', "utf-8")
    remembered.remember("theme", "localspec-sepia")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        assert desk.app.theme == "localspec-light"
        await desk.send("/theme mono")
        assert "until you quit" in desk.hint
    assert paths.config_file().read_text("utf-8") == 'theme = "localspec-light"\n'


async def test_a_theme_written_meanwhile_is_found(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        paths.user_themes_dir().mkdir(parents=True)
        (paths.user_themes_dir() / "mine.toml").write_text('primary = "#123456"', "utf-8")
        (paths.user_themes_dir() / "broken.toml").write_text("primary =", "utf-8")
        await desk.send("/theme mine")
        assert desk.app.theme == "mine"
        assert any(BROKEN in note.message for note in desk.app._notifications)


@pytest.mark.parametrize("text", ["{", "[]", '{"theme": 7}', "\x00", '{"theme": "gone"}'])
async def test_a_broken_memory_is_no_trouble(open_desk: OpenDesk, text: str) -> None:
    paths.state_file().parent.mkdir(parents=True, exist_ok=True)
    paths.state_file().write_text(text, "utf-8")
    async with open_desk(ScriptedBackend()) as desk:
        assert desk.app.theme == "localspec-dark"
        await desk.phase(Phase.READY)
        await desk.send("/theme light")
    assert remembered.recall("theme") == "localspec-light"


async def test_a_memory_that_cannot_be_written_is_said(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        paths.state_file().mkdir(parents=True)
        await desk.send("/theme light")
        assert desk.app.theme == "localspec-light"
        assert "can't be remembered" in desk.hint


async def test_a_themes_name_is_no_terminal_code(open_desk: OpenDesk) -> None:
    """A name from the environment was drawn with its escape codes."""
    async with open_desk(ScriptedBackend(), theme="\x1b[31m[red]x") as desk:
        await desk.until(lambda: desk.app._notifications)
        [note] = desk.app._notifications
        assert note.message == "There is no theme [31m[red]x; /theme lists them."
