"""The pull that is under way: one at a time, beside the chat."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from textual.message_pump import MessagePump

from localspec.errors import LocalspecError, UsageError
from localspec.models.events import Done, Event
from localspec.tui.aside import Aside, post
from localspec.tui.messages import PullEnded, PullMoved
from localspec.tui.pull_progress import PullProgress

_EVERY_S = 0.2
_PATIENCE_S = 1.0


class Pulling:
    """Its listener hears how it goes; what it says of a pull is kept until the next one of it."""

    def __init__(self, listener: MessagePump) -> None:
        self.progress: PullProgress | None = None
        """None while nothing is being pulled."""
        self.asked = ""
        """What it was asked for by, which may be a place."""
        self.failures: dict[str, str] = {}
        """Why the last pull of a name failed, in its own words."""
        self._listener = listener
        self._aside: Aside[Event] | None = None
        self._done = ""
        self._told_at = 0.0

    def begin(self, name: str, events: Callable[[], Iterator[Event]]) -> None:
        """`events` is called in the thread. Raises UsageError while another is under way."""
        if self.progress is not None:
            told = f"{self.progress.name} is being pulled."
            raise UsageError(told, "Wait for its end, or cancel it by Ctrl+X.")
        self.failures.pop(name, None)
        self.asked, self._done = name, ""
        self.progress = PullProgress(name)
        self._aside = Aside(events, self._take, self._ended)

    def is_of(self, name: str) -> bool:
        """Whether this is being pulled."""
        return self.progress is not None and name in (self.asked, self.progress.name)

    @property
    def is_stopping(self) -> bool:
        return self._aside is not None and self._aside.is_stopping

    def cancel(self) -> bool:
        """What was fetched stays. False when nothing is being pulled."""
        if self._aside is None or self.progress is None:
            return False
        self._aside.stop()
        return True

    def close(self) -> str:
        """End it, and don't wait for a line that hangs; returns the name of what is unfinished."""
        aside, unfinished = self._aside, self.progress.name if self.progress else ""
        if aside is not None:
            aside.stop()
            aside.join(_PATIENCE_S)
        return "" if self._done else unfinished

    def clear(self) -> None:
        """The end was heard of."""
        self.progress = self._aside = None

    def _take(self, event: Event) -> None:
        """In the thread."""
        if self.progress is None:
            return
        self.progress = self.progress.after(event)
        if isinstance(event, Done):
            self._done = event.pair.name
        now = time.monotonic()
        if now - self._told_at >= _EVERY_S:
            self._told_at = now
            post(self._listener, PullMoved())

    def _ended(self, failure: Exception | None) -> None:
        """In the thread."""
        fault = ""
        if isinstance(failure, LocalspecError):
            fault = str(failure)
        elif failure is not None:
            fault = f"The pull failed: {type(failure).__name__}: {failure}"
        if fault:
            self.failures[self.asked] = fault
        post(self._listener, PullEnded(self._done, fault))
