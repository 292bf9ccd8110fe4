"""The user's own editor, on a private file that is gone afterwards."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from textual.app import App, SuspendNotSupported

from localspec.errors import LocalspecError, UsageError

_GRACE_S = 1.0
"""For an editor to put the terminal in order."""
_USUAL = ("sensible-editor", "nano", "vi", "notepad")


def editor_command() -> list[str]:
    """The words of `$VISUAL` or `$EDITOR`, else an editor that is there. Raises UsageError."""
    for variable in ("VISUAL", "EDITOR"):
        if wanted := os.environ.get(variable, "").strip():
            return _found(variable, wanted)
    for name in _USUAL:
        if path := shutil.which(name):
            return [path]
    raise UsageError("No editor is known.", "Set $VISUAL or $EDITOR to the command of yours.")


def _found(variable: str, wanted: str) -> list[str]:
    try:
        words = shlex.split(wanted, posix=sys.platform != "win32")
    except ValueError:
        words = []
    if not words:
        raise UsageError(f"${variable} can't be read: {wanted}", "It is a command with arguments.")
    if shutil.which(words[0]) is None:
        raise UsageError(f"${variable} is {words[0]}, which is not there.", "Set it to another.")
    return words


async def edited(app: App[object], text: str) -> str:
    """The text as the user left it. All else goes on meanwhile, but nothing is painted. Raises
    LocalspecError, and then nothing has changed."""
    command = editor_command()
    with _private_file(text) as file:
        fault = await _leave_terminal(app, [*command, str(file)])
        if fault:
            raise LocalspecError(f"{fault} The text is as it was.")
        try:
            new = file.read_bytes().decode("utf-8-sig", "replace")
        except OSError as error:
            raise LocalspecError(f"The edited file can't be read: {error.strerror}.")
    new = new.replace("\r\n", "\n").replace("\r", "\n")
    # Editors end the last line.
    return new if text.endswith("\n") else new.removesuffix("\n")


async def _leave_terminal(app: App[object], command: list[str]) -> str:
    """What went wrong, if anything did. Only the end of the chat is raised in there: it leaves
    the terminal as the shell had it, and all else comes back to the screen."""
    try:
        with app.batch_update(), app.suspend(), _without_interrupts():
            fault = await _run(command)
    except SuspendNotSupported:
        return "This terminal can't be handed to an editor."
    app.refresh(layout=True)
    return fault


async def _run(command: list[str]) -> str:
    name = Path(command[0]).name
    try:
        process = await asyncio.create_subprocess_exec(*command)
    except OSError as error:
        return f"{name} can't be started: {error.strerror}."
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        # The chat is told to end while the editor is open.
        with suppress(ProcessLookupError, TimeoutError):
            process.terminate()
            await asyncio.wait_for(process.wait(), _GRACE_S)
        raise
    return f"{name} ended with {code}." if code else ""


@contextmanager
def _private_file(text: str) -> Iterator[Path]:
    """In a directory of its own: editors lay swap files and backups beside it."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="localspec-", ignore_cleanup_errors=True)
    except OSError as error:
        raise LocalspecError(f"There is no room for the editor's file: {error.strerror}.")
    with folder as name:
        file = Path(name) / "message.md"
        try:
            file.touch(0o600)
            file.write_bytes(text.encode("utf-8", "replace"))
        except OSError as error:
            raise LocalspecError(f"The editor's file can't be written: {error.strerror}.")
        yield file


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """The terminal's Ctrl+C is the editor's now. A handler, since the editor would inherit an
    ignored signal."""
    try:
        before = signal.signal(signal.SIGINT, lambda *_: None)
    except ValueError:
        # Not on the main thread.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
