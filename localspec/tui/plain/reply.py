"""A reply on the page: its thinking is two lines, its answer stands there as it is."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.chat.events import Burst
from localspec.tui.ink import kept_text
from localspec.tui.plain.page import Page
from localspec.tui.reading import Reading, Stretch
from localspec.tui.thoughts import Thought, Thoughts


class PlainReply:
    """Written as it comes, each word once."""

    def __init__(self, page: Page, thoughts: Thoughts | None = None, begun: str = "") -> None:
        """`begun` stands there already, `thoughts` are the numbers of that."""
        self.text = begun
        """As the model wrote it."""
        self._page = page
        self._reading = Reading(thoughts or Thoughts())
        before = self._reading.put(begun)
        self._answered = any(stretch.kind == "answer" for stretch in before)
        self._thought: Thought | None = None
        """Of the block that is under way."""
        self._thinking = ""

    @property
    def thoughts(self) -> Thoughts:
        return self._reading.thoughts

    def open_in_thinking(self, tag: str) -> None:
        """The prompt ended with this tag."""
        if not self.text:
            self._reading = Reading(Thoughts(tag))

    def add(self, burst: Burst) -> None:
        self.text += burst.text
        self._write(self._reading.add(burst))

    def finish(self, text: str) -> None:
        """The reply is over; `text` is what it is in the end."""
        rest = text[len(self.text) :] if text.startswith(self.text) else ""
        self.text = text
        self._write(self._reading.put(rest) + self._reading.finish(), announced=False)
        self._end_thinking()
        if not self._answered:
            # This is all there is to read.
            self._page.say(self._thinking)
        self._page.end_line()

    def _write(self, stretches: Sequence[Stretch], announced: bool = True) -> None:
        """Thinking that is over already need not be `announced`."""
        for stretch in stretches:
            text = kept_text(stretch.strokes)
            if stretch.kind == "thinking":
                if self._thought is None:
                    self._page.say("thinking" if announced else "")
                    self._thinking = ""
                self._thought = stretch.thought
                self._thinking += text
                continue
            self._end_thinking()
            if stretch.kind == "answer":
                self._answered = self._answered or bool(text.strip())
                self._page.stream(text)

    def _end_thinking(self) -> None:
        thought, self._thought = self._thought, None
        if thought is not None:
            self._page.say(thought.said(ended=True, text=self._thinking))
