"""What is kept of a reply's thinking beside its text, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from localspec.chat.thinking import TAGS, opened_before

STAT = "thinking"
"""Its name among the numbers that are saved with a reply."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The numbers of one block of thinking; all 0 where nobody counted."""

    num_tokens: float = 0.0
    """A burst in which the thinking ends counts by its share of the text."""
    seconds: float = 0.0

    def said(self, ended: bool, text: str) -> str:
        num_tokens = round(self.num_tokens)
        if not ended:
            return f"thinking · {_counted(num_tokens, 'token')} · {_time(self.seconds)}"
        if not num_tokens:
            return f"thought · {_counted(len(text.split()), 'word')}"
        lasted = "under 1 s" if round(self.seconds) == 0 else _time(self.seconds)
        return f"thought for {lasted}, {_counted(num_tokens, 'token')}"


@dataclass(frozen=True, slots=True)
class Thoughts:
    """Of one reply."""

    open_tag: str = ""
    """What the prompt ended with, so that it isn't in the text."""
    blocks: tuple[Thought, ...] = ()

    def stats(self) -> dict[str, Any]:
        """Empty for a reply without thinking."""
        blocks = [[round(block.num_tokens), round(block.seconds, 3)] for block in self.blocks]
        return {STAT: {"tag": self.open_tag, "blocks": blocks}} if blocks else {}


def past_thoughts(stats: dict[str, Any] | None, reply: str) -> Thoughts:
    """From the numbers saved with a reply; an imported file may have any."""
    if not stats or STAT not in stats:
        return Thoughts(opened_before(reply))
    try:
        tag = stats[STAT]["tag"]
        blocks = tuple(Thought(int(num), float(s)) for num, s in stats[STAT]["blocks"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return Thoughts(opened_before(reply))
    return Thoughts(tag if tag in TAGS else "", blocks)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _time(seconds: float) -> str:
    whole = round(seconds) if 0 <= seconds < 1e9 else 0
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
