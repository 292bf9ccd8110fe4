"""Numbers as text, each in a place of its own width so that none moves the next one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from localspec.chat.state import State

NOTHING = "n/a"
_LEVELS = "▁▂▃▄▅▆▇█"

_ENDINGS = {
    "length": "length limit",
    "context": "context full",
    "cancelled": "stopped",
    "failed": "broken off",
}


def rate(tokens_per_second: float | None) -> str:
    if tokens_per_second is None:
        return NOTHING
    digits = 1 if tokens_per_second < 99.95 else 0
    return f"{tokens_per_second:,.{digits}f}"


def _whole_rate(tokens_per_second: float | None) -> str:
    """Without a fraction, unless it tells something."""
    if tokens_per_second is None or tokens_per_second < 19.95:
        return rate(tokens_per_second)
    return f"{tokens_per_second:,.0f}"


def share(part: float | None) -> str:
    return NOTHING if part is None else f"{part:.0%}"


def length(tokens: float | None) -> str:
    return NOTHING if tokens is None else f"{tokens:.1f}"


def speedup(times: float | None) -> str:
    if times is None:
        return NOTHING
    return f"{times:.{1 if times < 99.95 else 0}f}x"


def gigabytes(number: int) -> str:
    return f"{number / 1e9:.1f} GB"


def size(number: int) -> str:
    """Bytes of a text."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1e3:,.0f} kB" if number < 999_500 else f"{number / 1e6:,.1f} MB"


def clock(seconds: float) -> str:
    """A time left, as 14:52 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def levels(parts: Iterable[float], width: int) -> str:
    """A bar of eight heights for each part of 1, `width` of them at most; the rest is space."""
    heights = (round(max(0.0, min(1.0, part)) * (len(_LEVELS) - 1)) for part in parts)
    return "".join(_LEVELS[height] for height in heights)[:width].ljust(width)


def bar(part: float, width: int) -> tuple[str, str]:
    """The filled and the empty part of a bar."""
    filled = round(max(0.0, min(1.0, part)) * width)
    return "━" * filled, "─" * (width - filled)


def summary(
    stats: dict[str, Any], state: State, ending: str | None, times: float | None = None
) -> str:
    """The quiet line under a reply; `times` is its speed-up, where that was measured."""
    parts = [f"{_whole_rate(stats['tokens_per_second'])} tok/s"]
    num_tokens = stats["num_tokens"]
    parts.append(f"{num_tokens:,} token{'' if num_tokens == 1 else 's'}")
    if stats["acceptance_rate"] is not None:
        parts.append(f"{share(stats['acceptance_rate'])} of drafts accepted")
    if times is not None:
        parts.append(speedup(times))
    if state.kind != "active":
        parts.append(f"speculation {state}")
    if ending in _ENDINGS:
        parts.append(_ENDINGS[ending])
    return " · ".join(parts)
