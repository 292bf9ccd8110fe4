"""Long pastes, which the prompt shows as a label and a message has in full."""

from __future__ import annotations

import re
from dataclasses import dataclass

from localspec.tui.figures import size

MOST_LINES, MOST_CHARACTERS = 10, 1000
"""A longer paste is folded."""

# A label begins with a character of the last private plane, which says whose it is and is drawn
# as a bracket. What is typed begins with a bracket, so it is only text.
_FIRST, _NUMBER = 0x100000, 0xFFFE
_LABEL = re.compile("[\U00100000-\U0010fffd]pasted [^]\n]*]")


@dataclass(frozen=True, slots=True)
class Written:
    """A text as it is sent, and which parts of it, in order, are shown folded."""

    text: str
    folds: tuple[tuple[int, int], ...] = ()

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """What lies between the folds: the user's own writing."""
        ends = [0, *(end for _, end in self.folds)]
        starts = [*(start for start, _ in self.folds), len(self.text)]
        return list(zip(ends, starts, strict=True))


class Folds:
    """What was pasted in this session. The same text is one fold, wherever it stands."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """By label."""
        self._labels: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """The label that stands for this text."""
        if text not in self._labels:
            mark = chr(_FIRST + len(self._labels) % _NUMBER)
            label = f"{mark}pasted {_size(text)}]"
            self._labels[text] = label
            self._texts[label] = text
        return self._labels[text]

    def spans(self, shown: str) -> list[tuple[int, int]]:
        """Where labels stand in what is shown."""
        return [found.span() for found in _LABEL.finditer(shown) if found[0] in self._texts]

    def written(self, shown: str) -> Written:
        """The whole text of what is shown."""
        parts: list[str] = []
        folds: list[tuple[int, int]] = []
        place = length = 0
        for start, end in self.spans(shown):
            own, pasted = shown[place:start], self._texts[shown[start:end]]
            parts += [own, pasted]
            length += len(own)
            folds.append((length, length + len(pasted)))
            length += len(pasted)
            place = end
        return Written("".join([*parts, shown[place:]]), tuple(folds))

    def shown(self, written: Written) -> str:
        """The reverse of `written`. A text too long to be edited is one fold."""
        text = written.text
        folds = written.folds
        if not folds and is_far_too_long(text):
            folds = ((0, len(text)),)
        parts: list[str] = []
        place = 0
        for start, end in folds:
            parts += [text[place:start], self.fold(text[start:end])]
            place = end
        return "".join([*parts, text[place:]])

    def found_in(self, text: str, before: Written) -> Written:
        """A text that was changed elsewhere, with those folds of `before` that are still whole."""
        folds: list[tuple[int, int]] = []
        place = 0
        for start, end in before.folds:
            pasted = before.text[start:end]
            if (found := text.find(pasted, place)) >= 0:
                place = found + len(pasted)
                folds.append((found, place))
        return Written(text, tuple(folds))


def is_long(text: str) -> bool:
    return len(text) > MOST_CHARACTERS or text.count("\n") >= MOST_LINES


def is_far_too_long(text: str) -> bool:
    """To be laid out at every key."""
    return len(text) > 100 * MOST_CHARACTERS


def drawn(shown: str) -> str:
    """What is shown, as it looks."""
    return _LABEL.sub(lambda label: f"[{label[0][1:]}", shown)


def _size(text: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    return (
        f"{lines:,} line{'' if lines == 1 else 's'}, {size(len(text.encode('utf-8', 'replace')))}"
    )
