"""How much of the drafting is shown in a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum

from textual.content import Content
from textual.selection import Selection
from textual.style import Style

from localspec.tui.ink import Stroke

_WORDS = re.compile(r"(\S+)")
_LINE_ENDS = re.compile(r"\n\s*")
_STRUCK = "~"
"""On both sides of a rejected draft: not every terminal can strike out."""


class Marking(Enum):
    """The value is what the screen says of it."""

    OFF = "Tokens are not marked."
    LIVE = "The newest tokens are marked by who proposed them."
    XRAY = "X-ray: replies of this session as raw text, each token marked."
    REJECTED = "X-ray, with the rejected drafts struck out."

    @property
    def is_xray(self) -> bool:
        return self in (Marking.XRAY, Marking.REJECTED)

    def toggled(self) -> Marking:
        return Marking.LIVE if self is Marking.OFF else Marking.OFF

    def deeper(self) -> Marking:
        """X-ray, then with rejected drafts, then back."""
        following = {Marking.XRAY: Marking.REJECTED, Marking.REJECTED: Marking.LIVE}
        return following.get(self, Marking.XRAY)


def drawn(strokes: Sequence[Stroke], marking: Marking, style: Callable[[str], Style]) -> Content:
    """The strokes as they look; `style` finds those called draft, suffix, predicted, rejected."""
    parts: list[str | tuple[str, Style]] = []
    for stroke in strokes:
        if stroke.rejected:
            if marking is Marking.REJECTED:
                parts.append((_struck(stroke.text), style("rejected")))
        elif marking is Marking.OFF or stroke.origin == "target":
            parts.append(stroke.text)
        else:
            # Words only: a marked indent would be a long line under nothing.
            words = _WORDS.split(stroke.text)
            parts += [
                (word, style(stroke.origin)) if index % 2 else word
                for index, word in enumerate(words)
            ]
    return Content.assemble(*parts)


def selected(strokes: Sequence[Stroke], marking: Marking, selection: Selection) -> str:
    """What of the reply lies in a selection of the drawn strokes: no rejected draft."""
    plain = drawn(strokes, marking, lambda name: Style()).plain
    start, end = _range(plain, selection)
    kept, at = "", 0
    for stroke in strokes:
        if not stroke.rejected:
            kept += stroke.text[max(0, start - at) : max(0, end - at)]
            at += len(stroke.text)
        elif marking is Marking.REJECTED:
            at += len(_struck(stroke.text))
    return kept


def _struck(text: str) -> str:
    """On one line; a line's end and the indent behind it are one sign, else it would be all gap."""
    text = _LINE_ENDS.sub("↵", text).replace("\t", " ")
    return f"{_STRUCK}{text}{_STRUCK}"


def _range(plain: str, selection: Selection) -> tuple[int, int]:
    """The first and the last place, in characters of the whole text."""
    starts = [0]
    for line in plain.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(offset: tuple[int, int] | None, default: int) -> int:
        if offset is None:
            return default
        column, line = offset
        if line >= len(starts) - 1:
            return len(plain)
        return min(starts[line] + column, starts[line + 1] - 1)

    return place(selection.start, 0), place(selection.end, len(plain))
