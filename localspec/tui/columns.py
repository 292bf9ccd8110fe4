"""The numbers of a reply as columns: each has a width of its own, so that none moves another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from localspec.tui import figures
from localspec.tui.meter import NUM_BURSTS, Meter

GAP = 2
_NUM_POSITIONS = 6
_FULL_BURST = 8
"""Tokens that fill a bar of the sparkline."""

Part = tuple[str, str]
"""Text, and what it is: number, label or spark."""


@dataclass(frozen=True, slots=True)
class Column:
    parts: tuple[Part, ...]
    rank: int
    """The higher, the sooner it gives way on a narrow screen."""
    row: int = 0

    @property
    def width(self) -> int:
        return sum(len(text) for text, _ in self.parts)


def fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """The columns that have room together, in their order; the highest ranks go first."""
    shown = list(columns)
    while shown and sum(column.width + GAP for column in shown) - GAP > room:
        shown.remove(max(shown, key=lambda column: column.rank))
    return shown


def columns(meter: Meter, now: float | None, n_ctx: int, begun: bool) -> tuple[Column, ...]:
    """`now` is the rate of the last second; None while nothing is written.

    A conversation that has `begun` takes an unknown part of the context before a reply.
    """
    stats = meter.stats
    rate, mean = stats.tokens_per_second, stats.mean_acceptance_length
    drafted = stats.num_drafts > 0
    bursts = [(number - 1) / (_FULL_BURST - 1) for number in meter.bursts]
    return (
        Column(_number(figures.rate(rate), 5, "tok/s", rate is not None), 0),
        Column(((figures.levels(bursts, NUM_BURSTS), "spark"),), 5),
        Column(((_known(figures.speedup(meter.speedup), 5, meter.speedup), "number"),), 2),
        Column(_number(figures.share(stats.acceptance_rate), 4, "accepted", drafted), 1),
        Column(((figures.levels(stats.acceptance_rates_per_pos, _NUM_POSITIONS), "spark"),), 6),
        Column(_number(figures.length(mean), 4, "a pass", mean is not None), 4),
        Column(_number(str(meter.draft_length), 2, "drafted", drafted), 8),
        Column(_number(figures.rate(now), 5, "now", now is not None), 7),
        Column(_context(meter, n_ctx, begun), 3, row=1),
        *_times(meter),
    )


def _times(meter: Meter) -> tuple[Column, ...]:
    """Where the time went: all three that matter, or none."""
    shares = meter.stats.time_shares
    parts = {
        name: _number(figures.share(shares.get(name)), 4, name, bool(shares))
        for name in ("prefill", "draft", "verify", "sampling")
    }
    gap: Part = (" " * GAP, "label")
    split = (*parts["prefill"], gap, *parts["draft"], gap, *parts["verify"])
    return Column(split, 9, row=1), Column(parts["sampling"], 10, row=1)


def _context(meter: Meter, n_ctx: int, begun: bool) -> tuple[Part, ...]:
    total = f"{n_ctx:,}" if n_ctx else figures.NOTHING
    used = "?" if begun and not meter.num_context_tokens else f"{meter.num_context_tokens:,}"
    return (f"{used:>{len(total)}} / {total}", "number"), (" context", "label")


def _number(number: str, width: int, label: str, known: bool) -> tuple[Part, ...]:
    """One that isn't known yet keeps its place free."""
    if not known:
        return ((" " * (width + 1 + len(label)), "label"),)
    return (f"{number:>{width}} ", "number"), (label, "label")


def _known(number: str, width: int, value: float | None) -> str:
    return " " * width if value is None else f"{number:>{width}}"
