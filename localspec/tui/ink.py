"""The text of a reply that is still wet: shown token by token before it dries into Markdown.

Text dries by whole lines, so that Markdown never sees half a line while it arrives, and the
newest lines stay wet, so that one can see who wrote them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from localspec.chat.events import Burst, Origin, Piece
from localspec.tui.untrusted import displayable

_WET_LINES = 3
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Stroke:
    """Text to draw, and who proposed it."""

    text: str
    origin: Origin
    rejected: bool = False
    """It did not stand: no part of the reply."""


class Ink:
    """Strokes in order; the older ones can be taken out as dry text."""

    def __init__(self) -> None:
        self._strokes: deque[Stroke] = deque()

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        return tuple(self._strokes)

    def add(self, burst: Burst) -> None:
        place = burst.num_before_rejected
        self.put(burst.pieces[:place])
        if text := displayable("".join(piece.text for piece in burst.rejected)):
            self._strokes.append(Stroke(text, burst.rejected[0].origin, rejected=True))
        self.put(burst.pieces[place:])

    def put(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if text := displayable(piece.text):
                self._strokes.append(Stroke(text, piece.origin))

    def dry(self) -> list[Stroke]:
        """Take out what is older than the newest lines."""
        return self._take(_dry_length(kept_text(self._strokes)))

    def dry_all(self) -> list[Stroke]:
        taken = list(self._strokes)
        self._strokes.clear()
        return taken

    def _take(self, length: int) -> list[Stroke]:
        taken = []
        while length > 0:
            stroke = self._strokes.popleft()
            if stroke.rejected:
                taken.append(stroke)
                continue
            taken.append(Stroke(stroke.text[:length], stroke.origin))
            if rest := stroke.text[length:]:
                self._strokes.appendleft(Stroke(rest, stroke.origin))
            length -= len(stroke.text)
        return taken


def kept_text(strokes: Sequence[Stroke] | deque[Stroke]) -> str:
    """What is part of the reply."""
    return "".join(stroke.text for stroke in strokes if not stroke.rejected)


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
