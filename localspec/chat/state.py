"""Whether speculation works in a reply: by what was tested, never by what was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StateKind = Literal["active", "idle", "off"]

TURNED_OFF = "turned off"
WOULD_NOT_PAY = "wouldn't pay here"
NO_DRAFT = "none belongs to this pair"


@dataclass(frozen=True, slots=True)
class State:
    """active: drafts were tested in this reply; idle: none was, though they could be; off."""

    kind: StateKind
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.kind} ({self.reason})" if self.reason else self.kind


def speculation_state(num_drafts: int, off_reason: str) -> State:
    """`off_reason`: why nothing drafts, or nothing does any more; empty while something can."""
    if off_reason:
        return State("off", off_reason)
    return State("active") if num_drafts else State("idle", WOULD_NOT_PAY)
