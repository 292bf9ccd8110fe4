"""The list of what is being typed: its keys, and who else wants them."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    for name in ("inventory.py", "invoice.py", "my notes.md", "src/inner.py"):
        (work / name).write_text("text\n")
    monkeypatch.chdir(work)
    return work


async def typed(desk: Desk, text: str, shown: str) -> None:
    await desk.pilot.press(*text)
    await desk.until(lambda: shown in desk.screen_text)


async def test_tab_takes_a_path_as_a_word(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "see @inve", "› inventory.py")
        await desk.pilot.press("tab", "o", "k")
        assert desk.prompt.text == "see @inventory.py ok"


async def test_a_quick_tab_waits_for_the_disk(open_desk: OpenDesk) -> None:
    """A Tab that came before the list moved the focus out of the prompt."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"@inve", "tab")
        await desk.until(lambda: desk.prompt.text == "@inventory.py ")
        assert desk.app.focused is desk.prompt


async def test_up_and_down_choose_round_the_ends(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "@inv", "› inventory.py")
        await desk.pilot.press("down")
        await desk.until(lambda: "› invoice.py" in desk.screen_text)
        await desk.pilot.press("down", "up", "up", "tab")
        assert desk.prompt.text == "@inventory.py "


async def test_enter_takes_what_was_chosen_and_else_sends(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await typed(desk, "@inv", "› inventory.py")
        await desk.pilot.press("down", "enter")
        assert desk.prompt.text == "@invoice.py "
        await desk.pilot.press("ctrl+u")
        await typed(desk, "hi @inventory.p", "› inventory.py")
        await desk.pilot.press("y", "enter")
        await desk.until(lambda: backend.asked)


async def test_esc_closes_the_list_and_stops_no_reply(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("go")
        await desk.until(lambda: "half" in desk.screen_text)
        await typed(desk, "@inv", "› inventory.py")
        await desk.pilot.press("escape")
        assert "inventory.py" not in desk.screen_text
        assert (desk.prompt.text, desk.chat._talk.stopping) == ("@inv", False)
        # The arrows are the history's again, and Esc stops.
        await desk.pilot.press("up")
        assert desk.prompt.text == "go"
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)


async def test_a_closed_list_is_back_with_the_next_letter(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "@inv", "› inventory.py")
        await desk.pilot.press("escape")
        await typed(desk, "e", "› inventory.py")
        await desk.pilot.press("escape", "ctrl+u")
        await typed(desk, "@inve", "› inventory.py")


async def test_a_directory_opens_and_a_name_with_a_space_is_quoted(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "@sr", "› src/")
        await desk.pilot.press("tab")
        await desk.until(lambda: "› inner.py" in desk.screen_text)
        await desk.pilot.press("tab")
        assert desk.prompt.text == "@src/inner.py "
        await typed(desk, "and @my", "› my notes.md")
        await desk.pilot.press("tab")
        assert desk.prompt.text == '@src/inner.py and @"my notes.md" '


async def test_a_path_is_completed_in_the_middle_of_a_line(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"one  two", "left", "left", "left", "left")
        await typed(desk, "@inve", "› inventory.py")
        await desk.pilot.press("tab")
        assert desk.prompt.text == "one @inventory.py two"
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.text == "one @inve two"


async def test_the_list_closes_when_the_cursor_leaves(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "@inv", "› inventory.py")
        await desk.pilot.press("home")
        await desk.until(lambda: "inventory.py" not in desk.screen_text)


async def test_a_recalled_line_opens_no_list(open_desk: OpenDesk) -> None:
    """The list took the arrows, and what was sent before could not be reached."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        for line in ("/k 3", "/spec", "/xray off"):
            await desk.send(line)
        await desk.pilot.press("up", "up", "up")
        assert desk.prompt.text == "/k 3"
        assert "›" not in desk.screen_text.replace("› /k 3", "")


@pytest.mark.parametrize("text", ["a@inv", "@@", "no @ here", "@property", "/help x", "/ @inv"])
async def test_where_nothing_is_offered(open_desk: OpenDesk, text: str) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*text)
        await desk.pilot.pause(0.1)
        assert desk.chat._parts.choices.num_choices == 0


@pytest.mark.parametrize(
    ("keys", "shown", "line"),
    [
        ("/spec su", "› suffix", "/spec suffix"),
        ("/xray r", "› rejected", "/xray rejected"),
        ("/file inve", "› inventory.py", "/file inventory.py"),
        ("/predict my", "› my notes.md", "/predict my notes.md"),
        ("/theme lig", "› light", "/theme light"),
        ("/model smoll", "to be pulled", "/model smollm2"),
        ("/preset s", "› save NAME", "/preset save "),
    ],
)
async def test_the_arguments_of_commands(
    open_desk: OpenDesk, keys: str, shown: str, line: str
) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, keys, shown)
        await desk.pilot.press("tab")
        assert desk.prompt.text.startswith(line)


async def test_a_command_is_chosen_by_arrow(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await typed(desk, "/se", "› /sessions")
        await desk.pilot.press("down")
        await desk.until(lambda: "› /search" in desk.screen_text)
        await desk.pilot.press("tab")
        assert desk.prompt.text == "/search "


async def test_the_prompt_grows_to_a_third_of_the_screen(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(), size=(80, 30)) as desk:
        for lines in (1, 4, 9, 20):
            desk.prompt.load_text("x\n" * (lines - 1) + "x")
            desk.prompt.move_cursor(desk.prompt.document.end)
            await desk.pilot.pause()
            assert desk.prompt.size.height == min(lines, 9)
        assert desk.prompt.scroll_offset.y == 11
