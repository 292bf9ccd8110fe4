"""One question and its reply, from sending to the last token."""

from __future__ import annotations

from typing import Any

from localspec.chat.events import Burst, Finished
from localspec.chat.state import State, speculation_state
from localspec.chat.tree import Node
from localspec.engine.stats import PlainSpeed
from localspec.settings import SpecMode
from localspec.tui.dialogue import Dialogue
from localspec.tui.meter import Meter
from localspec.tui.past import past_summary
from localspec.tui.widgets.reply import Reply
from localspec.tui.widgets.transcript import Transcript


class Turn:
    """Brings the events of a reply to the transcript, the meter and the saved conversation."""

    def __init__(
        self,
        reply: Reply,
        transcript: Transcript,
        dialogue: Dialogue,
        spec: SpecMode,
        off_reason: str = "",
        plain: PlainSpeed | None = None,
    ) -> None:
        """A reply that has text already is gone on with; `plain` is what the conversation knows
        of plain decoding."""
        self.meter = Meter(plain)
        self.spec = spec
        """The mode that the reply was asked for with."""
        self.off_reason = off_reason
        """Why nothing drafts, or nothing does any more."""
        self._begun = reply.text
        self._reply = reply
        self._transcript = transcript
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

    def open_in_thinking(self, tag: str) -> None:
        self._reply.open_in_thinking(tag)

    async def paint(self, now: float) -> None:
        await self._reply.paint(now)
        if self.answered:
            self._dialogue.grow(self._reply.text)

    async def finish(self, event: Finished) -> None:
        self.meter.stats.num_prompt_tokens = event.stats["num_prompt_tokens"]
        if event.state == "off":
            self.off_reason = event.state_reason
        await self._end(self._begun + event.text, event.stats, event.finish_reason)

    async def cut(self, ending: str) -> None:
        """The reply ended without its last event: what was shown is the reply."""
        await self._end(self._reply.text, self.meter.stats.report(), ending)

    def save(self) -> None:
        """Save what there is of the reply as all of it, when nothing can be drawn any more."""
        self._conclude(self._reply.text, self.meter.stats.report(), "cancelled")

    async def _end(self, text: str, stats: dict[str, Any], ending: str) -> None:
        reply = self._conclude(text, stats, ending)
        await self._reply.finish(text, past_summary(reply.stats))
        self._transcript.settle(reply)

    def _conclude(self, text: str, stats: dict[str, Any], ending: str) -> Node:
        if self._begun and text == self._begun:
            # Nothing came: the numbers stay those of what there is.
            return self._dialogue.conclude(text, {})
        stats = stats | {"ending": ending, "off_reason": self.off_reason}
        stats["speedup"] = self.meter.speedup
        stats |= self._reply.thoughts.stats()
        if self._begun:
            stats["continued"] = True
        return self._dialogue.conclude(text, stats)

    async def withdraw(self) -> str:
        """All is as before the question; returns its text, empty if it had been asked before."""
        text = self._dialogue.withdraw()
        await self._transcript.show(self._dialogue.path)
        return text
