"""The line above a block of code: its language, and how it is copied."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from localspec.tui.untrusted import displayable


class CodeHead(Static):
    """A click copies the block."""

    @dataclass
    class Clicked(Message):
        head: CodeHead

    def __init__(self, language: str, number: int) -> None:
        super().__init__()
        self.number = number
        """Of the block in its reply, from 1."""
        self.language = displayable(" ".join(language.split()[:1]))

    def render(self) -> Content:
        copies = f"copy {self.number}"
        width = max(0, self.content_size.width - len(copies) - 1)
        return Content(self.language).truncate(width, pad=True) + Content(f" {copies}")

    def on_click(self) -> None:
        self.post_message(self.Clicked(self))
