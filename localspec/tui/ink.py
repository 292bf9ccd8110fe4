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


@dataclass(frozen=True, slots=True)
class Wetness:
    """How much stays wet."""

    lines: int
    longest: int
    """Of so many characters in longer lines only half."""


ANSWER = Wetness(3, 600)
THINKING = Wetness(2, 200)


@dataclass(frozen=True, slots=True)
class Stroke:
    """Text to draw, and who proposed it."""

    text: str
    origin: Origin
    rejected: bool = False
    """It did not stand: no part of the reply."""


class Ink:
    """Strokes in order; the older ones can be taken out as dry text."""

    def __init__(self, wetness: Wetness = ANSWER) -> None:
        self.wetness = wetness
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
        return self.take(_dry_length(kept_text(self._strokes), self.wetness))

    def dry_all(self) -> list[Stroke]:
        taken = list(self._strokes)
        self._strokes.clear()
        return taken

    def lay(self, strokes: Sequence[Stroke]) -> None:
        """Put what was taken from other ink."""
        self._strokes.extend(strokes)

    def take(self, length: int) -> list[Stroke]:
        """The first so many characters, and the rejected drafts before their end."""
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


def _dry_length(text: str, wetness: Wetness) -> int:
    lines = text.splitlines(keepends=True)[: -wetness.lines]
    # Markdown draws no empty line at its end: it stays here, to keep its place on the screen.
    while lines and not lines[-1].strip():
        lines.pop()
    length = sum(len(line) for line in lines)
    if len(text) - length > wetness.longest:
        # Long lines dry at a space.
        length = max(length, text.rfind(" ", length, len(text) - wetness.longest // 2))
    return length
