"""The newest tokens of the running reply, marked by who proposed them."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from localspec.chat.events import Piece


class Tail(Widget):
    """Plain text: the target's own tokens as they are, drafted ones coloured and underlined."""

    COMPONENT_CLASSES = {"tail--draft", "tail--suffix", "tail--predicted", "tail--cursor"}

    def __init__(self) -> None:
        super().__init__(classes="first")
        self._content = Content()

    def show(self, pieces: Sequence[Piece]) -> None:
        """Draw these pieces and the place where the next one will be."""
        if not self.is_attached:
            # The screen is being closed, and the styles are gone already.
            return
        before = self._height(self.content_size.width)
        self._content = Content.assemble(
            *(part for piece in pieces for part in self._marked(piece)),
            ("▌", self.get_visual_style("tail--cursor", partial=True)),
        )
        # A new layout is dear: only when a line was added or taken.
        self.refresh(layout=self._height(self.content_size.width) != before)

    @property
    def plain(self) -> str:
        return self._content.plain

    def _marked(self, piece: Piece) -> list[str | tuple[str, Style]]:
        if piece.origin == "target":
            return [piece.text]
        word = piece.text.strip()
        if not word:
            return [piece.text]
        # A marked indent would be a long line under nothing.
        start = piece.text.index(word)
        style = self.get_visual_style(f"tail--{piece.origin}", partial=True)
        return [piece.text[:start], (word, style), piece.text[start + len(word) :]]

    def _height(self, width: int) -> int:
        return self._content.get_height(self.styles.get_rules(), width) if width else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height(width)

    def render(self) -> Content:
        return self._content
