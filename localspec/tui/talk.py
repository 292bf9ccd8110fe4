"""The talk with the backend: what it is doing, and what its events do to the screen."""

from __future__ import annotations

import asyncio
from enum import Enum

from textual.content import Content

from localspec.chat.events import Burst, Event, Failed, Finished, Loading, Notice, Opened, Ready
from localspec.chat.tree import Node
from localspec.engine.interface import Prefill
from localspec.engine.stats import PlainSpeed
from localspec.tui import captions
from localspec.tui.columns import columns
from localspec.tui.dialogue import Dialogue
from localspec.tui.link import Link
from localspec.tui.marking import Marking
from localspec.tui.meter import Clock, Meter
from localspec.tui.options import Options
from localspec.tui.parts import Parts
from localspec.tui.speculation import off_reason, speculation
from localspec.tui.turn import Turn
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.status import Activity

_COUNT_EVERY = 0.2


class Phase(Enum):
    """What the backend is doing; the value says why nothing can be sent."""

    LOADING = "The model is still loading."
    READY = ""
    REPLYING = "A reply is running, Esc stops it; your text is kept."
    DOWN = "No model is loaded; F5 loads it again, /model NAME takes another. Your text is kept."


class Talk:
    """One load or one reply at a time."""

    def __init__(
        self,
        link: Link,
        dialogue: Dialogue,
        options: Options,
        clock: Clock,
        parts: Parts,
        model: str,
    ) -> None:
        # From the first key on: what is typed ahead waits for the model.
        self.phase = Phase.LOADING
        self.ready: Ready | None = None
        self.model = model
        self.stopping = False
        self._turn: Turn | None = None
        self._link = link
        self._dialogue = dialogue
        self._options = options
        self._clock = clock
        self._parts = parts
        self._status = parts.status
        self._plain = PlainSpeed()
        self._counted_at = 0.0
        # Timers don't wait for their turn among the messages.
        self._lock = asyncio.Lock()

    async def open(self, model: str) -> None:
        """Load a pair; a running reply ends here. Raises LocalspecError for a bad name."""
        self._link.open(model, self._options.ctx)
        async with self._lock:
            await self._end_turn("cancelled")
        self._turn = None
        self.model, self.ready = model, None
        self._dialogue.model = model
        self.phase = Phase.LOADING
        self._parts.title.update(Content(displayable(model)))
        self._status.activity = captions.loading(model, Loading("target", 0.0))
        self.show_speculation()

    async def ask(self, text: str, before: Node | None = None) -> None:
        """Send a question, with the files that are to go with it. Only when ready.

        In the place of `before`, if that is given, which stays as a version.
        """
        text = self._options.handed.take_attached(text)
        self._dialogue.ask(text, before)
        await self._reply(self._dialogue.path)

    async def ask_again(self, question: Node) -> None:
        """Another reply to a question. Only when ready."""
        self._dialogue.ask_again(question)
        await self._reply(self._dialogue.path)

    async def go_on(self, reply: Node) -> None:
        """More of the last reply. Only when ready."""
        self._dialogue.go_on(reply)
        await self._reply(self._dialogue.path[:-1], begun=reply)

    async def _reply(self, path: list[Node], begun: Node | None = None) -> None:
        transcript = self._parts.transcript
        await transcript.show(path)
        reply = await transcript.reply(begun)
        spec = self._options.spec
        off = off_reason(spec, self.ready)
        self._turn = Turn(reply, transcript, self._dialogue, spec, off, self._plain)
        self.phase, self.stopping = Phase.REPLYING, False
        self._status.activity = Activity("starting")
        self._count()
        self._link.chat(self._dialogue.messages, self._options.request())

    def forget(self) -> None:
        """The conversation begins anew, and so do the numbers."""
        self._turn = None
        self._plain = PlainSpeed(self.ready.plain_pass_s if self.ready else 0.0)
        self._count()

    def stop(self) -> None:
        self.stopping = True
        self._status.activity = Activity("stopping")
        self._link.stop()

    def show_speculation(self) -> None:
        """A mode that was changed since the last reply says nothing about that reply."""
        spec, turn = self._options.spec, self._turn
        if turn is not None and self.phase is not Phase.REPLYING and turn.spec != spec:
            turn = None
        self._status.speculation = speculation(spec, self.ready, turn if self.ready else None)

    def show_idle(self) -> None:
        if self._link.run == 0:
            # The very first load could not even begin.
            self.phase = Phase.DOWN
        if self.phase is Phase.DOWN:
            self._status.activity = Activity("no model")
        self.show_speculation()

    async def shut(self) -> None:
        """Save what there is and end the backend."""
        if self.phase is Phase.REPLYING and self._turn is not None and self._turn.answered:
            self._turn.save()
        self._dialogue.close()
        self.phase = Phase.DOWN
        await asyncio.to_thread(self._link.close)

    async def frame(self) -> None:
        """Paint what has come since the last frame."""
        if self._turn is None or self.phase is not Phase.REPLYING or self._lock.locked():
            return
        now = self._clock()
        async with self._lock:
            await self._turn.paint(now)
        if now - self._counted_at >= _COUNT_EVERY:
            self._count()

    async def mark(self, marking: Marking) -> None:
        """Between two frames."""
        async with self._lock:
            await self._parts.transcript.mark(marking)

    async def handle(self, event: Event, at: float) -> None:
        async with self._lock:
            await self._handle(event, at)
        self._parts.hint.withdraw(*(phase.value for phase in Phase if phase is not self.phase))

    async def _handle(self, event: Event, at: float) -> None:
        match event:
            case Loading():
                self._status.activity = captions.loading(self.model, event)
            case Ready():
                self._open_for_questions(event)
            case Notice():
                if self._turn is not None and event.off_reason:
                    self._turn.off_reason = event.off_reason
                await self._parts.transcript.say(event.text)
            case Failed():
                await self._fail(event)
            case Opened() if self._turn is not None:
                self._turn.open_in_thinking(event.tag)
            case Prefill() | Burst() | Finished() if self._turn is not None:
                await self._answer(self._turn, event, at)

    async def ended(self) -> None:
        """The events are over; usually their last one has said so already."""
        async with self._lock:
            if self.phase is Phase.REPLYING:
                await self._end_turn("cancelled")
            elif self.phase is Phase.LOADING:
                await self._fail(Failed("The model could not be loaded.", fatal=True))

    async def _answer(self, turn: Turn, event: Prefill | Burst | Finished, at: float) -> None:
        match event:
            case Prefill():
                turn.meter.observe_prefill(event)
                if not self.stopping:
                    self._status.activity = captions.reading(event)
            case Burst():
                if not self.stopping:
                    self._status.activity = None
                turn.observe(event, at)
            case Finished() if event.text:
                await turn.finish(event)
                self._status.memory_bytes = event.memory_bytes or self._status.memory_bytes
                self._rest()
            case Finished():
                await self._end_turn(event.finish_reason)

    def _open_for_questions(self, ready: Ready) -> None:
        self.ready = ready
        self._plain = PlainSpeed(ready.plain_pass_s)
        self._status.memory_bytes = ready.memory_bytes
        self._parts.title.update(captions.title(ready))
        self.phase = Phase.READY
        self._status.activity = None
        self._count()

    async def _fail(self, event: Failed) -> None:
        await self._end_turn("failed")
        message = f"{event.message} {event.hint}".strip()
        if event.fatal or self.phase is Phase.LOADING:
            self.phase, self.ready = Phase.DOWN, None
            self.show_idle()
            message += " F5 or /restart loads the model again."
        await self._parts.transcript.say(message, "error")

    async def _end_turn(self, ending: str) -> None:
        """End the running turn, if there is one, with what has come so far."""
        turn = self._turn
        if self.phase is not Phase.REPLYING or turn is None:
            return
        if turn.answered:
            await turn.cut(ending)
        else:
            self._turn = None
            self._parts.prompt.give_back(await turn.withdraw())
        self._rest()

    def _rest(self) -> None:
        """The reply is over."""
        self._count(resting=True)
        self.phase = Phase.READY
        self._status.activity = None
        self.show_speculation()

    def _count(self, resting: bool = False) -> None:
        self._counted_at = now = self._clock()
        meter = self._turn.meter if self._turn else Meter()
        rate = None if resting else meter.rate(now)
        begun = self._dialogue.has_begun
        n_ctx = self.ready.n_ctx if self.ready else 0
        self._status.columns = columns(meter, rate, n_ctx, begun)
        self.show_speculation()
