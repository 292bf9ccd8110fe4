"""Markdown from a model: nothing in it is obeyed."""

from __future__ import annotations

from markdown_it import MarkdownIt
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock, MarkdownFence

from localspec.tui.pages import Part
from localspec.tui.widgets.code_head import CodeHead


class CodeBlock(MarkdownFence):
    """Code in the language that the reply names, else plain: guessing tries every lexer."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        return super().highlight(code, language.strip() or "text", ansi, dark)

    def compose(self) -> ComposeResult:
        page = self._markdown
        if isinstance(page, Prose) and (number := page.number_of(self)):
            yield CodeHead(self.lexer, number)
        yield from super().compose()


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

    def __init__(
        self,
        part: Part | None = None,
        *,
        num_code: int = 0,
        thinking: bool = False,
        ended: bool = True,
    ) -> None:
        """`num_code` code blocks of the reply come before its passage."""
        part = part or Part("", num_code=num_code)
        super().__init__(part.text, parser_factory=_parser, open_links=False)
        self.set_class(part.continued, "continued")
        self.set_class(thinking, "thinking")
        self._num_code = part.num_code
        self._begins_in_code = part.begins_in_code
        self.ended = ended
        """Nothing more will be written on this page."""
        self._folded = False

    def number_of(self, block: CodeBlock) -> int:
        """Of a code block in its reply; 0 for one that can't be copied from here: it goes on from
        the page before, is a part of the thinking, or has no fence."""
        fences = [each for each in self.query(CodeBlock) if each.name == "fence"]
        if block not in fences or self.has_class("thinking"):
            return 0
        place = fences.index(block)
        return 0 if place == 0 and self._begins_in_code else self._num_code + place + 1

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
