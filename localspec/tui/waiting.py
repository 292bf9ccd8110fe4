"""The question that was sent while the model is loading."""

from __future__ import annotations

from localspec.tui.parts import Parts

_ONE_WAITS = "A message is waiting for the model already, Esc takes it back; your text is kept."


class Waiting:
    """Out of the prompt, so that what is typed next is not glued to it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._text = ""

    def __bool__(self) -> bool:
        return bool(self._text)

    def hold(self, text: str) -> None:
        """Keep it until the model is ready; there is room for one."""
        if self._text:
            self._parts.hint.say(_ONE_WAITS, error=True)
            return
        self._text = text
        self._parts.prompt.take(text)
        self._parts.hint.say(self._said)

    def take(self) -> str:
        """The text that waits, which is now being sent."""
        self._parts.hint.withdraw(self._said, _ONE_WAITS)
        text, self._text = self._text, ""
        return text

    def give_back(self) -> None:
        """To the prompt, before what has been typed since."""
        if text := self.take():
            self._parts.prompt.prepend(text)

    @property
    def _said(self) -> str:
        return f"Will be sent when the model is ready, Esc takes it back: {self._text.strip()}"
