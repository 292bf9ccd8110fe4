"""One question and its reply on the page."""

from __future__ import annotations

from localspec.chat.events import Burst, Finished
from localspec.chat.tree import Node
from localspec.engine.stats import PlainSpeed
from localspec.settings import SpecMode
from localspec.tui.answer import Answer
from localspec.tui.dialogue import Dialogue
from localspec.tui.plain.reply import PlainReply


class PlainTurn(Answer):
    """Writes the events too."""

    def __init__(
        self,
        reply: PlainReply,
        dialogue: Dialogue,
        spec: SpecMode,
        off_reason: str,
        plain: PlainSpeed,
    ) -> None:
        super().__init__(reply, dialogue, spec, off_reason, plain)
        self._reply: PlainReply = reply
        self._node: Node | None = None

    def observe(self, burst: Burst, at: float) -> None:
        super().observe(burst, at)
        if self._reply.text:
            self._dialogue.grow(self._reply.text)

    def finish(self, event: Finished) -> None:
        self._reply.finish(self._begun + event.text)
        self._node = self.conclude(event)

    def end(self, ending: str) -> Node | None:
        """The saved reply, broken off if its last event did not come; None if there is none."""
        if self._node is None and self._reply.text:
            try:
                self._reply.finish(self._reply.text)
            finally:
                self._node = self.break_off(ending)
        return self._node
