"""Completes what is being typed in the prompt."""

from __future__ import annotations

import asyncio
from functools import partial

from localspec.tui.arguments import argument_choices, file_choices
from localspec.tui.background import in_background
from localspec.tui.choices import Asked, Choice, Choices, asked, commands
from localspec.tui.widgets.choice_list import ChoiceList
from localspec.tui.widgets.prompt import Prompt


class Completer:
    """Tab takes, up and down choose, Esc closes the list; Enter takes what was chosen so."""

    def __init__(self, prompt: Prompt, shown: ChoiceList) -> None:
        self._prompt = prompt
        self._list = shown
        self._asked: Asked | None = None
        self._listed: Asked | None = None
        """What the list is about; None while it is closed."""
        self._closed: Asked | None = None
        """What the user wants no list for."""
        self._chose = False
        self._tab_waits = False

    def changed(self) -> None:
        """The text or the cursor is another."""
        new = self._what_is_asked()
        if new == self._asked and new is not None:
            return
        self._asked = new
        self._tab_waits = False
        if new is None:
            self._closed = None
        if new is None or new == self._closed:
            self._close()
        elif new.kind == "/":
            self._show(new, commands(new.written))
        else:
            look = partial(self._look, new)
            in_background(self._prompt, look, "completion", newest=True)

    def takes_key(self, key: str) -> bool:
        """True for a key that is the list's, not the text's."""
        now = self._what_is_asked()
        if now is None or now == self._closed:
            return False
        if now != self._listed:
            # A quick Tab waits for the disk; the list that is still there is about another text.
            self._tab_waits = key == "tab" and now == self._asked
            return self._tab_waits
        many = self._list.num_choices > 1
        match key:
            case "tab":
                self._take()
            case "enter" if self._chose:
                self._take()
            case "up" | "down" if many:
                self._chose = True
                self._list.move(-1 if key == "up" else 1)
            case "escape":
                self._closed = now
                self._close()
            case _:
                return False
        return True

    def _what_is_asked(self) -> Asked | None:
        text = self._prompt.text
        if text == self._prompt.put_text or not self._prompt.selection.is_empty:
            # The arrows go through what was sent: a list would be in their way.
            return None
        return asked(text, *self._prompt.cursor_location)

    async def _look(self, now: Asked) -> None:
        find = (
            (lambda: file_choices(now.written))
            if now.kind == "@"
            else (lambda: argument_choices(now.kind, now.written))
        )
        found = await asyncio.to_thread(find)
        if now == self._what_is_asked():
            self._show(now, found)

    def _show(self, now: Asked, found: Choices) -> None:
        written = [each.text for each in found.choices] == [now.written]
        if written or not found.choices:
            self._close()
            return
        self._listed, self._chose = now, False
        self._list.show(found)
        if self._tab_waits:
            self._take()

    def _close(self) -> None:
        self._listed, self._chose, self._tab_waits = None, False, False
        self._list.close()

    def _take(self) -> None:
        choice, now = self._list.chosen, self._listed
        self._close()
        if choice is None or now is None:
            return
        row, column = self._prompt.cursor_location
        self._prompt.history.checkpoint()
        text = choice.text + self._gap(now, choice, row, column)
        result = self._prompt.replace(text, (row, now.start), (row, column))
        self._prompt.move_cursor(result.end_location)

    def _gap(self, now: Asked, choice: Choice, row: int, column: int) -> str:
        """A file's name is a word of its own."""
        at_end = column == len(self._prompt.document[row])
        return " " if now.kind == "@" and at_end and not choice.shown.endswith("/") else ""
