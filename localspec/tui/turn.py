"""One question and its reply, from sending to the last token."""

from __future__ import annotations

from localspec.chat.events import Burst, Finished
from localspec.tui import figures
from localspec.tui.dialogue import Dialogue
from localspec.tui.meter import Meter
from localspec.tui.widgets.reply import Reply
from localspec.tui.widgets.transcript import Question


class Turn:
    """Brings the events of a reply to the transcript, the meter and the saved conversation."""

    def __init__(self, question: Question, reply: Reply, dialogue: Dialogue) -> None:
        self.meter = Meter()
        self.source = ""
        """Who drafted last."""
        self._question = question
        self._reply = reply
        self._dialogue = dialogue

    @property
    def answered(self) -> bool:
        return bool(self._reply.text)

    def observe(self, burst: Burst, at: float) -> None:
        self.meter.observe(burst, at)
        self.source = burst.round.source or self.source
        self._reply.add(burst.pieces)

    async def paint(self, now: float) -> None:
        await self._reply.paint(now)
        if self.answered:
            self._dialogue.grow(self._reply.text)

    async def finish(self, event: Finished) -> None:
        self.meter.stats.num_prompt_tokens = event.stats["num_prompt_tokens"]
        self._dialogue.conclude(event.text, event.stats)
        await self._reply.finish(event.text, figures.summary_of(event))

    async def cut(self, ending: str) -> None:
        """The reply ended without its last event: what was shown is the reply."""
        stats = self.save()
        summary = figures.summary(stats, self.source, ending)
        await self._reply.finish(self._reply.text, summary)

    def save(self) -> dict[str, object]:
        """Save what there is of the reply as all of it; returns its numbers."""
        stats = self.meter.stats.report()
        self._dialogue.conclude(self._reply.text, stats)
        return stats

    async def withdraw(self) -> str:
        """Take the unanswered question out of the conversation; returns its text."""
        await self._question.remove()
        await self._reply.remove()
        return self._dialogue.withdraw()
