"""The turns that have been written, with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.chat.thinking import spans
from localspec.chat.tree import Node
from localspec.tui.past import past_summary
from localspec.tui.plain.page import Page
from localspec.tui.plain.reply import PlainReply
from localspec.tui.thoughts import past_thoughts


class PlainTranscript:
    """In the place of the screen's; what stands there already is not written again."""

    has_chosen = False

    def __init__(self, page: Page) -> None:
        self._page = page
        self._path: list[Node] = []
        self._written: list[tuple[str, str]] = []

    async def show(self, path: Sequence[Node]) -> None:
        written = self._written
        self.has(path)
        if self._written != written[: len(path)]:
            for place, node in enumerate(path):
                self._write(place, node)

    def has(self, path: Sequence[Node]) -> None:
        """These were written as they came."""
        self._path = list(path)
        self._written = [(node.role, node.content) for node in path]

    async def toggle_thinking(self, node: Node | None = None) -> bool:
        """Write the newest thinking; False if there is none."""
        for reply in reversed([each for each in self._path if each.role == "assistant"]):
            tag = past_thoughts(reply.stats, reply.content).open_tag
            blocks = [span.text for span in spans(reply.content, tag) if span.kind == "thinking"]
            for block in blocks:
                self._page.say(block.strip("\n"))
            if blocks:
                return True
        return False

    def _write(self, place: int, node: Node) -> None:
        who = "you" if node.role == "user" else "reply"
        self._page.say(f"{place // 2 + 1} {who}")
        if node.role == "user":
            self._page.say(node.content)
            return
        PlainReply(self._page, past_thoughts(node.stats, node.content)).finish(node.content)
        self._page.say(past_summary(node.stats))
