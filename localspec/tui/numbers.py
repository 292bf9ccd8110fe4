"""The numbers that were saved with a reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from localspec.chat.state import State, speculation_state
from localspec.chat.tree import Node
from localspec.engine.stats import PlainSpeed, Stats
from localspec.errors import UsageError

_MOST = 1e15


@dataclass(frozen=True, slots=True)
class Plain:
    """Plain decoding in the conversation, as it was known at the end of a reply."""

    tokens_per_second: float
    num_rounds: int = 0
    """Passes without drafts that it was measured on; 0: one pass timed at the load."""

    @classmethod
    def of(cls, speed: PlainSpeed) -> Plain | None:
        rate = speed.tokens_per_second
        if rate is None:
            return None
        return cls(rate, speed.num_rounds if speed.num_rounds >= speed.LEAST_ROUNDS else 0)

    def __str__(self) -> str:
        if self.num_rounds:
            return f"{self.num_rounds:,} passes without drafts"
        return "one pass, timed at the load"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Of one reply."""

    stats: Stats
    plain: Plain | None = None
    speedup: float | None = None
    state: State | None = None


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    """Made at its first use: the screen is painted before."""
    return TypeAdapter(kind)


def numbers(saved: Mapping[str, Any] | None) -> Numbers | None:
    """None where there are none; an imported file may have any."""
    if not saved or "num_tokens" not in saved:
        return None
    own = {field.name: saved[field.name] for field in fields(Stats) if field.name in saved}
    try:
        stats = _adapter(Stats).validate_python(own)
        plain = _adapter(Plain).validate_python(saved["plain"]) if saved.get("plain") else None
        speedup = None if saved.get("speedup") is None else float(saved["speedup"])
    except (ValidationError, TypeError, ValueError):
        return None
    every = [*_values(stats), speedup or 0.0, *([plain.tokens_per_second] if plain else [])]
    lists = (stats.num_accepted_tokens_per_pos, stats.num_draft_tokens_per_pos)
    if not all(0 <= value < _MOST for value in every):
        return None
    if len(lists[0]) != len(lists[1]):
        return None
    off = saved.get("off_reason")
    state = speculation_state(stats.num_drafts, off) if isinstance(off, str) else None
    return Numbers(stats, plain, speedup, state)


def every_numbers(path: Iterable[Node]) -> list[Numbers]:
    """Of each reply that has some. Raises UsageError where none has."""
    replies = [node for node in path if node.role == "assistant"]
    known = [each for node in replies if (each := numbers(node.stats)) is not None]
    if not known:
        raise UsageError("There are no numbers yet; they come with the end of a reply.")
    return known


def _values(stats: Stats) -> Iterator[float]:
    for field in fields(Stats):
        value = getattr(stats, field.name)
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, list):
            yield from value
        else:
            yield value
