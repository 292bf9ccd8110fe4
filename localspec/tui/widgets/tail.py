"""The newest tokens of the running reply."""

from __future__ import annotations

from localspec.tui.marking import Marking
from localspec.tui.widgets.marked import Marked


class Tail(Marked):
    """Ends with the place where the next token will be."""

    END = "▌"

    def __init__(self) -> None:
        super().__init__((), Marking.LIVE)
        self.add_class("first")
