"""Markdown from a model: nothing in it is obeyed."""

from __future__ import annotations

from markdown_it import MarkdownIt
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock, MarkdownFence


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

    def __init__(self, text: str = "") -> None:
        super().__init__(text, parser_factory=_parser, open_links=False)
