"""The signals that end the program, which then leaves the terminal as it was."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Any

from textual.app import App


def end_on_signals(app: App[Any]) -> None:
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has neither; a thread that isn't the main one can't have them.
        with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(getattr(signal, name), app.exit)
