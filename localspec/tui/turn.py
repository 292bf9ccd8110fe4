"""One question and its reply, from sending to the last token."""

from __future__ import annotations

from typing import Any

from localspec.chat.events import Burst, Finished
from localspec.chat.state import State, speculation_state
from localspec.engine.stats import PlainSpeed
from localspec.settings import SpecMode
from localspec.tui import figures
from localspec.tui.dialogue import Dialogue
from localspec.tui.meter import Meter
from localspec.tui.widgets.reply import Reply
from localspec.tui.widgets.transcript import Question


class Turn:
    """Brings the events of a reply to the transcript, the meter and the saved conversation."""

    def __init__(
        self,
        question: Question,
        reply: Reply,
        dialogue: Dialogue,
        spec: SpecMode,
        off_reason: str = "",
        plain: PlainSpeed | None = None,
    ) -> None:
        """`plain` is what the conversation knows of plain decoding."""
        self.meter = Meter(plain)
        self.spec = spec
        """The mode that the reply was asked for with."""
        self.off_reason = off_reason
        """Why nothing drafts, or nothing does any more."""
        self._question = question
        self._reply = reply
        self._dialogue = dialogue

    @property
    def state(self) -> State | None:
        """By what was tested so far; None before the first token."""
        stats = self.meter.stats
        return speculation_state(stats.num_drafts, self.off_reason) if stats.num_tokens else None

    @property
    def answered(self) -> bool:
        return bool(self._reply.text)

    def observe(self, burst: Burst, at: float) -> None:
        self.meter.observe(burst, at)
        self._reply.add(burst)

    async def paint(self, now: float) -> None:
        await self._reply.paint(now)
        if self.answered:
            self._dialogue.grow(self._reply.text)

    async def finish(self, event: Finished) -> None:
        self.meter.stats.num_prompt_tokens = event.stats["num_prompt_tokens"]
        self._dialogue.conclude(event.text, event.stats)
        if event.state == "off":
            self.off_reason = event.state_reason
        await self._reply.finish(event.text, self._summary(event.stats, event.finish_reason))

    async def cut(self, ending: str) -> None:
        """The reply ended without its last event: what was shown is the reply."""
        stats = self.save()
        await self._reply.finish(self._reply.text, self._summary(stats, ending))

    def _summary(self, stats: dict[str, Any], ending: str) -> str:
        state = speculation_state(stats["num_drafts"], self.off_reason)
        return figures.summary(stats, state, ending, self.meter.speedup)

    def save(self) -> dict[str, Any]:
        """Save what there is of the reply as all of it; returns its numbers."""
        stats = self.meter.stats.report()
        self._dialogue.conclude(self._reply.text, stats)
        return stats

    async def withdraw(self) -> str:
        """Take the unanswered question out of the conversation; returns its text."""
        await self._question.remove()
        await self._reply.remove()
        return self._dialogue.withdraw()
