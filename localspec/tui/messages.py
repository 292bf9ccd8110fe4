"""What the backend's thread tells the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from localspec.chat.events import Event


@dataclass
class BackendEvent(Message):
    """One event of a load or a reply."""

    event: Event
    run: int
    """Which load or reply it belongs to; those of an earlier one are stale."""
    at: float
    """When it arrived, by the link's clock: painting may come later."""


@dataclass
class BackendEnded(Message):
    """The events of a load or a reply are over, whatever the last one was."""

    run: int


@dataclass
class PullMoved(Message):
    """The pull has got on."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, PullMoved)


@dataclass
class PullEnded(Message):
    """The pull is over; cancelled where there is neither."""

    done: str
    """What the pair is called that is here now."""
    fault: str
    """Why it failed, in a sentence or two."""
