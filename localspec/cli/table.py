"""Rows as aligned text, without a terminal's codes."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.cli.failure import printable


def lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The last column isn't padded."""
    shown = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in shown) for column in range(len(head))]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in shown]
