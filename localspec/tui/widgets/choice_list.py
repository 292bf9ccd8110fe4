"""What the text at the cursor may become."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from localspec.tui.choices import Choice, Choices

_MOST = 8
_WIDTH = 18


class ChoiceList(Static):
    """Takes no room while there is nothing to choose."""

    def __init__(self) -> None:
        super().__init__()
        self._choices = Choices()
        self._place = 0

    def show(self, choices: Choices) -> None:
        self._choices, self._place = choices, 0
        self._draw()

    def close(self) -> None:
        self.show(Choices())

    def move(self, step: int) -> None:
        """Up or down, round the ends."""
        self._place = (self._place + step) % max(1, self.num_choices)
        self._draw()

    @property
    def chosen(self) -> Choice | None:
        return self._choices.choices[self._place] if self._choices.choices else None

    @property
    def num_choices(self) -> int:
        return len(self._choices.choices)

    def _draw(self) -> None:
        self.display = self.num_choices > 0
        first = max(0, min(self._place - _MOST // 2, self.num_choices - _MOST))
        shown = self._choices.choices[first : first + _MOST]
        width = max([_WIDTH, *(min(len(each.shown), 2 * _WIDTH) for each in shown)])
        lines = [
            Content(f"{'›' if each is self.chosen else ' '} {each.shown:<{width}} {each.meaning}")
            .rstrip()
            .stylize("$primary" if each is self.chosen else "")
            for each in shown
        ]
        left = self.num_choices - first - len(shown)
        if left or not self._choices.are_all:
            more = f"{left} more" if self._choices.are_all else "more; go on typing"
            lines.append(Content(f"  … {more}"))
        self.update(Content("\n").join(lines))
