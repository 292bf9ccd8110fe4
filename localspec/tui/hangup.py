"""A terminal that vanishes without a word, as behind a broken line or a supervisor."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

from textual.app import App

_LOOK_EVERY_S = 1.0
_PATIENCE_S = 4.0


def end_with_terminal(app: App[Any]) -> None:
    """Most terminals send SIGHUP. Without it the reader of keys would spin for ever, and whoever
    draws would wait for a writer that has died; conversations are saved as they happen."""
    if app.is_headless:
        return
    loop = asyncio.get_running_loop()

    def end() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(app.exit)

    watch_terminal(end)


def watch_terminal(end: Callable[[], None]) -> None:
    """Call this, from a thread, when there is no terminal any more, and soon after end anyway."""
    if not _is_there():
        return

    def watch() -> None:
        while _is_there():
            time.sleep(_LOOK_EVERY_S)
        end()
        time.sleep(_PATIENCE_S)
        os._exit(1)

    Thread(target=watch, name="hangup", daemon=True).start()


def _is_there() -> bool:
    try:
        return os.isatty(sys.__stdin__.fileno()) if sys.__stdin__ else False
    except (OSError, ValueError):
        return False
