"""The commands that reach the engine's process, and the end that they bring."""

from __future__ import annotations

import os
import traceback
from queue import SimpleQueue
from time import sleep
from typing import BinaryIO

from localspec.backends.commands import Command, Count, Load, Request, Stop, from_line

_GRACE_S = 0.8
"""How long the backend may take to free its memory at the end."""


class Inbox:
    """The parent's commands."""

    def __init__(self, source: BinaryIO) -> None:
        self.queue: SimpleQueue[Request | Count | None] = SimpleQueue()
        """None is the end."""
        self.ended = False
        self._last_stopped = 0
        self._source = source

    def listen(self) -> None:
        """Runs on a thread of its own, and ends the process."""
        try:
            for line in self._source:
                self._take(from_line(line))
        except Exception:
            traceback.print_exc()
        self.ended = True
        self.queue.put(None)
        sleep(_GRACE_S)
        # The native call that is under way may never come back, and nobody waits for it.
        os._exit(1)

    def _take(self, command: Command) -> None:
        if isinstance(command, Stop):
            self._last_stopped = command.number
        else:
            self.queue.put(command)

    def stopped(self, command: Request | Count) -> bool:
        return not isinstance(command, Load | Count) and command.number <= self._last_stopped
