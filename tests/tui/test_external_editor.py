"""Ctrl+G and the user's own editor."""

from __future__ import annotations

import contextlib
import shlex
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events

from localspec.tui import external_editor
from localspec.tui.app import ChatApp
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst

EDITOR = """
import pathlib, sys, time
file = pathlib.Path(sys.argv[-1])
log = pathlib.Path(sys.argv[1])
mode = [oct(each.stat().st_mode & 0o777) for each in (file, file.parent)]
log.write_text(repr((file.read_text(), mode, sys.argv[2:-1], str(file))))
"""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that can be left, unlike that of a test."""

    @contextlib.contextmanager
    def suspend(self: ChatApp) -> Iterator[None]:
        yield

    monkeypatch.setattr(ChatApp, "suspend", suspend)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: None) -> Path:
    """Writes down what it saw, then does what a test appends to it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    script = tmp_path / "my editor.py"
    script.write_text(EDITOR)
    words = [sys.executable, str(script), str(tmp_path / "log"), "--wait", "two words"]
    monkeypatch.setenv("VISUAL", shlex.join(words))
    monkeypatch.setenv("EDITOR", "not-this-one")
    return script


def append(script: Path, line: str) -> None:
    script.write_text(script.read_text() + line + "\n")


async def test_what_the_editor_leaves_is_the_text(
    open_desk: OpenDesk, editor: Path, tmp_path: Path
) -> None:
    append(editor, "file.write_text('new\\r\\ntext \\x1b[31mü\\n')")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"old", "ctrl+g")
        await desk.until(lambda: desk.prompt.text == "new\ntext [31mü")
        text, modes, words, file = eval((tmp_path / "log").read_text())
        assert (text, modes, words) == ("old", ["0o600", "0o700"], ["--wait", "two words"])
        assert not Path(file).parent.exists()
        assert desk.prompt.cursor_location == (1, 10)
        await desk.pilot.press("ctrl+z")
        assert desk.prompt.text == "old"


async def test_the_editor_has_the_whole_of_a_paste(
    open_desk: OpenDesk, editor: Path, tmp_path: Path
) -> None:
    append(editor, "file.write_text('Before: ' + file.read_text())")
    async with open_desk(ScriptedBackend()) as desk:
        desk.prompt.post_message(events.Paste("line\n" * 50))
        await desk.until(lambda: desk.prompt.text)
        await desk.pilot.press("ctrl+g")
        await desk.until(lambda: "Before: [pasted 50 lines" in desk.screen_text)
        assert eval((tmp_path / "log").read_text())[0] == "line\n" * 50
        assert desk.prompt.written.text == "Before: " + "line\n" * 50


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("sys.exit(3)", "ended with 3. The text is as it was."),
        ("file.unlink()", "The edited file can't be read: No such file or directory."),
    ],
)
async def test_an_editor_that_fails_changes_nothing(
    open_desk: OpenDesk, editor: Path, line: str, fault: str, tmp_path: Path
) -> None:
    append(editor, f"file.write_text('lost'); {line}")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"kept", "ctrl+g")
        await desk.until(lambda: desk.hint.endswith(fault))
        assert desk.prompt.text == "kept"
        assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize(
    ("visual", "fault"),
    [
        ("no-such-editor -w", "$VISUAL is no-such-editor, which is not there. Set it to another."),
        ("vi 'unclosed", "$VISUAL can't be read: vi 'unclosed It is a command with arguments."),
    ],
)
async def test_a_missing_editor_is_one_line(
    open_desk: OpenDesk, terminal: None, monkeypatch: pytest.MonkeyPatch, visual: str, fault: str
) -> None:
    monkeypatch.setenv("VISUAL", visual)
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"kept", "ctrl+g")
        await desk.until(lambda: desk.hint)
        assert (desk.hint, desk.prompt.text) == (fault, "kept")


def test_without_variables_a_usual_editor_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", " ")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(external_editor.UsageError, match="No editor is known"):
        external_editor.editor_command()
    nano = tmp_path / "nano"
    nano.touch()
    nano.chmod(nano.stat().st_mode | stat.S_IXUSR)
    assert external_editor.editor_command() == [str(nano)]


async def test_a_terminal_that_cannot_be_left_is_said(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", sys.executable)
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press(*"kept", "ctrl+g")
        await desk.until(lambda: desk.hint)
        assert desk.hint == "This terminal can't be handed to an editor. The text is as it was."


async def test_a_reply_goes_on_while_the_editor_is_open(
    open_desk: OpenDesk, editor: Path, tmp_path: Path
) -> None:
    go_on = tmp_path / "go_on"
    append(editor, f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)")
    bursts = [burst(f"word{number} ") for number in range(50)]
    backend = ScriptedBackend([burst("first "), HOLD, *bursts, HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "first" in desk.screen_text)
        await desk.pilot.press("x", "ctrl+g")
        await desk.until((tmp_path / "log").exists)
        backend.go_on()
        await desk.until(lambda: desk.chat._talk._turn.meter.stats.num_tokens == 51)
        go_on.touch()
        await desk.until(lambda: "word49" in desk.screen_text)
        assert desk.chat._talk.phase is Phase.REPLYING
        assert desk.prompt.text == "x"


async def test_a_second_ctrl_g_opens_no_second_editor(
    open_desk: OpenDesk, editor: Path, tmp_path: Path
) -> None:
    append(editor, "time.sleep(0.2); file.write_text(file.read_text() + '!')")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press("x", "ctrl+g", "ctrl+g")
        await desk.until(lambda: desk.prompt.text == "x!")
        await desk.pilot.pause(0.3)
        assert desk.prompt.text == "x!"
