"""The text of a reply that is still wet: shown token by token before it dries into Markdown.

Text dries by whole lines, so that Markdown never sees half a line while it arrives, and the
newest lines stay wet, so that one can see who wrote them.
"""

from __future__ import annotations

from collections import deque

from localspec.chat.events import Piece
from localspec.tui.untrusted import displayable

_WET_LINES = 3
_LONGEST = 600


class Ink:
    """Pieces in order; the older ones can be taken out as dry text."""

    def __init__(self) -> None:
        self._pieces: deque[Piece] = deque()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._pieces)

    def add(self, pieces: tuple[Piece, ...]) -> None:
        for piece in pieces:
            if text := displayable(piece.text):
                self._pieces.append(Piece(text, piece.origin))

    def dry(self) -> str:
        """Take out the text that is older than the newest lines."""
        text = "".join(piece.text for piece in self._pieces)
        return self._take(_dry_length(text))

    def dry_all(self) -> str:
        return self._take(sum(len(piece.text) for piece in self._pieces))

    def _take(self, length: int) -> str:
        taken = []
        while length > 0:
            piece = self._pieces.popleft()
            taken.append(piece.text[:length])
            if rest := piece.text[length:]:
                self._pieces.appendleft(Piece(rest, piece.origin))
            length -= len(piece.text)
        return "".join(taken)


def _dry_length(text: str) -> int:
    lines = text.splitlines(keepends=True)[:-_WET_LINES]
    # Markdown draws no empty line at its end: it stays here, to keep its place on the screen.
    while lines and not lines[-1].strip():
        lines.pop()
    length = sum(len(line) for line in lines)
    if len(text) - length > _LONGEST:
        # Long lines dry at a space.
        length = max(length, text.rfind(" ", length, len(text) - _LONGEST // 2))
    return length
