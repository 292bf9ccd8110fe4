"""The numbers of several replies together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import zip_longest
from typing import Any

from localspec.engine.stats import Stats


def total(replies: Iterable[Stats]) -> Stats:
    """Counters and times added up, so that every rate is over all tokens."""
    whole = Stats()
    for reply in replies:
        for field in fields(Stats):
            added = _added(getattr(whole, field.name), getattr(reply, field.name))
            setattr(whole, field.name, added)
    return whole


def total_speedup(replies: Iterable[tuple[Stats, float | None]]) -> float | None:
    """What plain decoding would have taken, over what it took. Each reply comes with the tokens
    per second of plain decoding; one without, or that tested no draft, isn't counted."""
    plain_s = took_s = 0.0
    for stats, plain in replies:
        if plain and stats.num_drafts and stats.decode_s > 0.0:
            plain_s += stats.num_tokens / plain
            took_s += stats.decode_s
    return plain_s / took_s if took_s else None


def _added(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return {key: one.get(key, 0) + other.get(key, 0) for key in one | other}
    if isinstance(one, Sequence):
        return [sum(pair) for pair in zip_longest(one, other, fillvalue=0)]
    return one + other
