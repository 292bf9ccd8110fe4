"""Long pastes: a label in the prompt, the whole text in the message."""

from __future__ import annotations

import pytest
from textual import events

from localspec.tui.folds import Folds, Written
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply

LINES = "".join(f"line {number}\n" for number in range(214))
LABEL = "[pasted 214 lines, 2 kB]"


async def paste(desk: Desk, text: str) -> None:
    before = desk.prompt.text
    desk.prompt.post_message(events.Paste(text))
    await desk.until(lambda: desk.prompt.text != before)


def test_what_is_shown_and_what_is_written_are_each_other_s_reverse() -> None:
    folds = Folds()
    shown = f"see {folds.fold(LINES)} and {folds.fold('x' * 2000)}, {folds.fold(LINES)}"
    written = folds.written(shown)
    assert written.text == f"see {LINES} and {'x' * 2000}, {LINES}"
    assert len(written.folds) == 3
    assert folds.shown(written) == shown
    assert Folds().written(Folds().shown(written)).text.count("line 7\n") == 0
    assert [written.text[start:end] for start, end in written.gaps] == ["see ", " and ", ", ", ""]


def test_a_fold_that_was_changed_elsewhere_is_text() -> None:
    folds = Folds()
    before = folds.written(f"{folds.fold(LINES)} {folds.fold('y' * 2000)}")
    after = folds.found_in(f"new {LINES} {'y' * 1999}", before)
    assert after.folds == ((4, 4 + len(LINES)),)


def test_a_text_too_long_to_edit_is_folded_wherever_it_comes_from() -> None:
    """A long message that was edited again froze the screen."""
    folds = Folds()
    shown = folds.shown(Written("word " * 100_000))
    assert len(shown) < 50
    assert folds.written(shown).text == "word " * 100_000


@pytest.mark.parametrize(
    ("text", "is_folded"),
    [
        ("x\n" * 10, True),
        ("x\n" * 9 + "x", False),
        ("x" * 1001, True),
        ("x" * 1000, False),
        ("a\r\n" * 30, True),
        ("a\r" * 30, True),
    ],
)
async def test_only_a_long_paste_is_folded(open_desk: OpenDesk, text: str, is_folded: bool) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await paste(desk, text)
        assert ("[pasted" in desk.screen_text) is is_folded
        assert desk.prompt.written.text == text.replace("\r\n", "\n").replace("\r", "\n")


async def test_it_is_sent_whole_and_recalled_folded(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("one")), reply(burst("two")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press(*"Look: ")
        await paste(desk, LINES)
        assert LABEL in desk.screen_text
        await desk.pilot.press("enter")
        await desk.until(lambda: backend.asked)
        await desk.phase(Phase.READY)
        assert backend.asked[0][0][-1].content == f"Look: {LINES}".strip()
        await desk.pilot.press("up")
        assert desk.prompt.written.text == f"Look: {LINES}"
        assert len(desk.prompt.text) < 50
        await desk.send(desk.prompt.text)
        await desk.until(lambda: len(backend.asked) == 2)
        assert backend.asked[1][0][-1].content == f"Look: {LINES}".strip()


async def test_backspace_takes_a_fold_as_a_whole_and_undo_brings_it_back(
    open_desk: OpenDesk,
) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await paste(desk, LINES)
        await paste(desk, LINES)
        assert desk.screen_text.count(LABEL) == 2
        await desk.pilot.press("backspace")
        assert desk.prompt.written.text == LINES
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.written.text == LINES + LINES
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.written.text == LINES
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.text == ""
        await desk.pilot.press("ctrl+y")
        assert desk.prompt.written.text == LINES


@pytest.mark.parametrize("key", ["backspace", "ctrl+w", "delete", "alt+delete", "shift+home x"])
async def test_no_key_cuts_a_fold_in_two(open_desk: OpenDesk, key: str) -> None:
    """Half a label stood in the message in the place of the text."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press("a")
        await paste(desk, LINES)
        await desk.pilot.press("b", "left")
        if "delete" in key:
            await desk.pilot.press("left")
        await desk.pilot.press(*key.split())
        await desk.pilot.pause()
        assert desk.prompt.text == ("xb" if "x" in key else "ab")


async def test_the_cursor_steps_over_a_fold(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press("a")
        await paste(desk, LINES)
        length = len(desk.prompt.text)
        await desk.pilot.press("left")
        assert desk.prompt.cursor_location == (0, 1)
        await desk.pilot.press("right")
        assert desk.prompt.cursor_location == (0, length)
        desk.prompt.move_cursor((0, 3))
        assert desk.prompt.cursor_location == (0, 1)
        await desk.pilot.press("x")
        assert desk.prompt.written.text == f"ax{LINES}"


async def test_a_label_that_was_typed_is_text(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("one")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await paste(desk, LINES)
        await desk.pilot.press("ctrl+u", *LABEL)
        assert desk.prompt.written == Written(LABEL)
        await desk.pilot.press("backspace")
        assert desk.prompt.text == LABEL[:-1]


async def test_what_is_cut_or_copied_is_the_whole_text(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await paste(desk, LINES)
        await desk.pilot.press("shift+home", "ctrl+c")
        assert desk.app.clipboard == LINES
        await desk.pilot.press("ctrl+x")
        assert (desk.app.clipboard, desk.prompt.text) == (LINES, "")
        await desk.pilot.press("ctrl+v")
        assert LABEL in desk.screen_text
        assert desk.prompt.written.text == LINES


async def test_the_last_line_can_be_cut_without_a_selection(open_desk: OpenDesk) -> None:
    """Ctrl+X at the end of what was written ended the chat with an IndexError."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("a", "ctrl+j", "b", "ctrl+x")
        assert desk.prompt.text == "a\n"
        assert desk.app.clipboard == "b"


async def test_a_long_paste_is_no_command(open_desk: OpenDesk) -> None:
    """A pasted C file, which begins with a slash, was refused as a command."""
    backend = ScriptedBackend(reply(burst("one")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await paste(desk, "/* a comment */\n" * 20)
        await desk.pilot.press("enter")
        await desk.until(lambda: backend.asked)


async def test_ten_megabytes_are_one_label(open_desk: OpenDesk) -> None:
    """The prompt laid all of it out, and no key was answered for a minute."""
    backend = ScriptedBackend()
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await paste(desk, "a word " * 1_500_000)
        assert "[pasted 1 line, 10.5 MB]" in desk.screen_text
        await desk.pilot.press("enter")
        await desk.until(lambda: "larger than the context" in desk.hint)
        assert not backend.asked
        assert len(desk.prompt.written.text) == 10_500_000
