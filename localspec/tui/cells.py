"""Text in a given number of a terminal's cells."""

from __future__ import annotations

from rich.cells import set_cell_size


def cut(text: str, width: int) -> str:
    """In exactly so many cells."""
    fitted = set_cell_size(text, width)
    if fitted.rstrip() == text.rstrip() or width < 1:
        return fitted
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)
