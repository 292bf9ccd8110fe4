"""The turns that have been written, with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.chat.tree import Node
from localspec.tui.past import past_summary
from localspec.tui.plain.page import Page


class PlainTranscript:
    """In the place of the screen's; what stands there already is not written again."""

    has_chosen = False

    def __init__(self, page: Page) -> None:
        self._page = page
        self._written: list[tuple[str, str]] = []

    async def show(self, path: Sequence[Node]) -> None:
        new: list[tuple[str, str]] = [(node.role, node.content) for node in path]
        if new != self._written[: len(new)]:
            for place, node in enumerate(path):
                self._write(place, node)
        self._written = new

    def has(self, path: Sequence[Node]) -> None:
        """These were written as they came."""
        self._written = [(node.role, node.content) for node in path]

    def _write(self, place: int, node: Node) -> None:
        who = "you" if node.role == "user" else "reply"
        self._page.say(f"{place // 2 + 1} {who}")
        self._page.stream(node.content)
        self._page.end_line()
        if node.role != "user":
            self._page.say(past_summary(node.stats))
