"""One question and its reply, from sending to the last token."""

from __future__ import annotations

from localspec.chat.events import Finished
from localspec.chat.tree import Node
from localspec.engine.stats import PlainSpeed
from localspec.settings import SpecMode
from localspec.tui.answer import Answer
from localspec.tui.dialogue import Dialogue
from localspec.tui.past import past_summary
from localspec.tui.widgets.reply import Reply
from localspec.tui.widgets.transcript import Transcript


class Turn(Answer):
    """Brings the events of a reply to the transcript too."""

    def __init__(
        self,
        reply: Reply,
        transcript: Transcript,
        dialogue: Dialogue,
        spec: SpecMode,
        off_reason: str = "",
        plain: PlainSpeed | None = None,
    ) -> None:
        super().__init__(reply, dialogue, spec, off_reason, plain)
        self._reply: Reply = reply
        self._transcript = transcript

    @property
    def answered(self) -> bool:
        return bool(self._reply.text)

    def open_in_thinking(self, tag: str) -> None:
        self._reply.open_in_thinking(tag)

    async def paint(self, now: float) -> None:
        await self._reply.paint(now)
        if self.answered:
            self._dialogue.grow(self._reply.text)

    async def finish(self, event: Finished) -> None:
        await self._show(self.conclude(event))

    async def cut(self, ending: str) -> None:
        await self._show(self.break_off(ending))

    def save(self) -> None:
        """Save what there is of the reply as all of it, when nothing can be drawn any more."""
        self.break_off("cancelled")

    async def _show(self, reply: Node) -> None:
        await self._reply.finish(reply.content, past_summary(reply.stats))
        self._transcript.settle(reply)

    async def withdraw(self) -> str:
        """All is as before the question; returns its text, empty if it had been asked before."""
        text = self._dialogue.withdraw()
        await self._transcript.show(self._dialogue.path)
        return text
