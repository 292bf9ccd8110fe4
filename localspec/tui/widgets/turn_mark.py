"""The line above a turn: which version it is, and the place where its keys are."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from localspec.chat.tree import Node


class TurnMark(Static):
    """Takes no room for a turn that has one version and isn't chosen."""

    BINDINGS = [
        Binding("up,k", "order('above')", "Above", show=False, id="turn.above"),
        Binding("down,j", "order('below')", "Below", show=False, id="turn.below"),
        Binding("left,h", "order('older')", "Older", key_display="←", id="turn.older"),
        Binding("right,l", "order('newer')", "Newer", key_display="→", id="turn.newer"),
        Binding("e", "order('edit')", "Edit", id="turn.edit"),
        Binding("r", "order('retry')", "Retry", id="turn.retry"),
        Binding("c", "order('continue')", "Continue", id="turn.continue"),
        Binding("f", "order('fork')", "Fork", id="turn.fork"),
        Binding("y", "order('copy')", "Copy", id="turn.copy"),
        *(
            Binding(
                str(number),
                f"order('code {number}')",
                "Code",
                show=number == 1,
                key_display="1-9",
                id=f"turn.code_{number}",
                tooltip=f"copy its code block {number}, as a click on the block's head does",
            )
            for number in range(1, 10)
        ),
        Binding("t", "order('thinking')", "Thinking", show=False, id="turn.thinking"),
        Binding("escape,q,enter", "order('leave')", "Back", key_display="esc", id="turn.leave"),
    ]

    @dataclass
    class Ordered(Message):
        """A key of a chosen turn."""

        order: str
        node: Node

    def __init__(self, node: Node | None = None) -> None:
        super().__init__()
        self.node = node
        """None until the turn is there."""
        self._place = (1, 1)
        self._chosen = False

    def count(self, place: int, num: int) -> None:
        """It is this version of so many."""
        self._place = (place, num)
        self._tell()

    def choose(self) -> None:
        self.can_focus = self.display = self._chosen = True
        self._tell()
        self.screen.set_focus(self, scroll_visible=False)

    def on_blur(self) -> None:
        self.can_focus = self._chosen = False
        self._tell()

    def action_order(self, order: str) -> None:
        if self.node is not None:
            self.post_message(self.Ordered(order, self.node))

    def _tell(self) -> None:
        place, num = self._place
        parts = []
        if self._chosen and self.node is not None:
            parts.append("▸ your message" if self.node.role == "user" else "▸ reply")
        if num > 1:
            parts.append(f"‹ {place} of {num} ›")
        self.display = bool(parts)
        self.update(Content("  ".join(parts)))
