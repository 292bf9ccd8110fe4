"""What was sent before, for the arrows of the prompt."""

from __future__ import annotations

from collections.abc import Iterable

from localspec.tui.folds import Written


class Sent:
    """Texts in the order of their sending, a place among them, and the one being written."""

    def __init__(self) -> None:
        self._texts: list[Written] = []
        self._place = 0
        """One past the last is the one being written."""
        self._unsent = ""

    def add(self, written: Written) -> bool:
        """False if that was the last one already."""
        new = not self._texts or self._texts[-1].text != written.text
        if new:
            self._texts.append(written)
        self._place = len(self._texts)
        return new

    def put_before(self, texts: Iterable[Written]) -> None:
        """Older ones, of other sessions."""
        older = list(texts)
        self._texts[:0] = older
        self._place += len(older)

    def step(self, step: int, unsent: str) -> Written | str | None:
        """The text before or after; the unsent one as it was handed in; None at both ends."""
        place = self._place + step
        if not 0 <= place <= len(self._texts):
            return None
        if self._place == len(self._texts):
            self._unsent = unsent
        self._place = place
        return self._texts[place] if place < len(self._texts) else self._unsent
