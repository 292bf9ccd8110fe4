"""Markdown from a model: nothing in it is obeyed."""

from __future__ import annotations

from markdown_it import MarkdownIt
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock, MarkdownFence

from localspec.tui.pages import Pages, Part
from localspec.tui.untrusted import displayable


class CodeBlock(MarkdownFence):
    """Code in the language that the reply names, else plain: guessing tries every lexer."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        return super().highlight(code, language.strip() or "text", ansi, dark)


def _parser() -> MarkdownIt:
    # Textual draws no HTML: as HTML it would vanish, as text it is read.
    return MarkdownIt("gfm-like", {"html": False})


class Prose(Markdown):
    """One page of a reply."""

    BLOCKS: dict[str, type[MarkdownBlock]] = {
        **Markdown.BLOCKS,
        "fence": CodeBlock,
        "code_block": CodeBlock,
    }

    def __init__(self, part: Part | None = None, *, ended: bool = True) -> None:
        part = part or Part("")
        super().__init__(part.text, parser_factory=_parser, open_links=False)
        self.set_class(part.continued, "continued")
        self.ended = ended
        """Nothing more will be written on this page."""
        self._folded = False

    def fold(self, folded: bool) -> None:
        """Out of sight, keep the height and lay out nothing.

        Textual lays out all that is mounted, seen or not: without this, each line of a long
        conversation would cost more than the one before.
        """
        height = self.outer_size.height
        if folded == self._folded or not self.ended or not height:
            return
        self._folded = folded
        self.styles.height = height if folded else "auto"
        for block in self.children:
            block.display = not folded


def past_pages(text: str) -> list[Prose]:
    """A whole reply."""
    return [Prose(part) for part in Pages().split(displayable(text))]
