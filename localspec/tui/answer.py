"""A reply under way, whoever shows it: its numbers, and what is saved of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

from localspec.chat.events import Burst, Finished
from localspec.chat.state import State, speculation_state
from localspec.chat.tree import Node
from localspec.engine.stats import PlainSpeed
from localspec.settings import SpecMode
from localspec.tui.dialogue import Dialogue
from localspec.tui.meter import Meter
from localspec.tui.numbers import Plain
from localspec.tui.thoughts import Thoughts


class ShownReply(Protocol):
    """The reply as whoever shows it has it."""

    text: str
    """As the model wrote it, up to now."""

    @property
    def thoughts(self) -> Thoughts: ...

    def add(self, burst: Burst) -> None: ...


class Answer:
    """Brings the events of a reply to the meter and the saved conversation."""

    def __init__(
        self,
        reply: ShownReply,
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
        self._dialogue = dialogue

    @property
    def state(self) -> State | None:
        """By what was tested so far; None before the first token."""
        stats = self.meter.stats
        return speculation_state(stats.num_drafts, self.off_reason) if stats.num_tokens else None

    def observe(self, burst: Burst, at: float) -> None:
        self.meter.observe(burst, at)
        self._reply.add(burst)

    def conclude(self, event: Finished) -> Node:
        """The reply is over, and this is its last event."""
        self.meter.stats.num_prompt_tokens = event.stats["num_prompt_tokens"]
        if event.state == "off":
            self.off_reason = event.state_reason
        return self._conclude(self._begun + event.text, event.stats, event.finish_reason)

    def break_off(self, ending: str) -> Node:
        """It ended without its last event: what was shown is the reply."""
        return self._conclude(self._reply.text, self.meter.stats.report(), ending)

    def _conclude(self, text: str, stats: dict[str, Any], ending: str) -> Node:
        if self._begun and text == self._begun:
            # Nothing came: the numbers stay those of what there is.
            return self._dialogue.conclude(text, {})
        stats = stats | {"ending": ending, "off_reason": self.off_reason}
        stats["speedup"] = self.meter.speedup
        if plain := Plain.of(self.meter.plain):
            stats["plain"] = asdict(plain)
        stats |= self._reply.thoughts.stats()
        if self._begun:
            stats["continued"] = True
        return self._dialogue.conclude(text, stats)
