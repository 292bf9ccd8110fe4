"""The talk with the backend, one load or reply after the other, written as it comes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

from localspec.backends.interface import Backend
from localspec.chat.events import (
    Burst,
    Compared,
    Event,
    Failed,
    Finished,
    Measuring,
    Notice,
    Opened,
    Ready,
)
from localspec.chat.tree import Node
from localspec.engine.interface import Prefill
from localspec.engine.stats import PlainSpeed
from localspec.errors import UsageError
from localspec.tui import captions
from localspec.tui.comparison_lines import comparison_lines
from localspec.tui.contest import Contest
from localspec.tui.dialogue import Dialogue
from localspec.tui.link import counted
from localspec.tui.meter import Clock
from localspec.tui.options import Options
from localspec.tui.past import past_summary
from localspec.tui.plain.answers import follow
from localspec.tui.plain.entering import Entry
from localspec.tui.plain.page import Page
from localspec.tui.plain.reply import PlainReply
from localspec.tui.plain.signals import Signals
from localspec.tui.plain.transcript import PlainTranscript
from localspec.tui.plain.turn import PlainTurn
from localspec.tui.speculation import off_reason
from localspec.tui.talk import Phase
from localspec.tui.thoughts import past_thoughts

NO_MODEL = "No model is loaded."
HOW_TO_LOAD = "/restart loads it, /model NAME takes another."


class Leaving(Exception):
    """The user, or the system, wants the chat to end."""


class PlainTalk:
    """In the place of the screen's talk, and with its words; but each call waits for the end."""

    def __init__(
        self,
        make_backend: Callable[..., Backend],
        dialogue: Dialogue,
        options: Options,
        page: Page,
        entry: Entry,
        transcript: PlainTranscript,
        signals: Signals,
        clock: Clock,
    ) -> None:
        self.phase = Phase.DOWN
        self.model = ""
        self.ready: Ready | None = None
        self._make_backend = make_backend
        self._dialogue = dialogue
        self._options = options
        self._page = page
        self._entry = entry
        self._transcript = transcript
        self._signals = signals
        self._clock = clock
        self._backend: Backend | None = None
        self._plain = PlainSpeed()

    async def open(self, model: str) -> None:
        """Load a pair. Raises LocalspecError for a bad name, and then the old one stays."""
        ctx = self._options.ctx
        new = self._make_backend(model) if ctx is None else self._make_backend(model, ctx=ctx)
        self.close()
        self._backend, self.model, self.ready = new, model, None
        self._dialogue.model = model
        self._page.say(f"Loading {model}.")
        for event in self._events(new.load):
            match event:
                case Ready():
                    self._open_for_questions(event)
                case Notice():
                    self._page.say(event.text)
                case Failed():
                    self._fail(event)
        if self.ready is None and self.phase is not Phase.DOWN:
            self._fail(Failed("The model could not be loaded.", fatal=True))

    async def ask(self, text: str, before: Node | None = None) -> None:
        text = self._options.handed.take_attached(text)
        self._dialogue.ask(text, before)
        self._reply(self._dialogue.path, PlainReply(self._page))

    async def ask_again(self, question: Node) -> None:
        self._dialogue.ask_again(question)
        self._reply(self._dialogue.path, PlainReply(self._page))

    async def go_on(self, reply: Node) -> None:
        self._dialogue.go_on(reply)
        thoughts = past_thoughts(reply.stats, reply.content)
        begun = PlainReply(self._page, thoughts, reply.content)
        self._reply(self._dialogue.path[:-1], begun)

    def compare(self, contest: Contest) -> None:
        """Say how far it is at each run, then what it came to. Raises UsageError."""
        backend = self._backend
        if backend is None or self.phase is not Phase.READY:
            raise UsageError(NO_MODEL, HOW_TO_LOAD)
        asked = (contest.messages, contest.request, contest.repeats)
        self._page.say("Measuring plain decoding and speculation by turns; Ctrl+C stops it.")
        self.phase, run, ended = Phase.REPLYING, ("", 0), False
        for event in self._events(lambda: backend.compare(*asked)):
            match event:
                case Measuring() if (event.what, event.run) != run:
                    run = event.what, event.run
                    self._page.say(event.doing)
                case Compared():
                    ended = True
                    for line in comparison_lines(event.comparison):
                        self._page.say(line)
                case Failed():
                    ended = True
                    self._fail(event)
        if not ended:
            self._page.say("The comparison was stopped; there is no result.")
        if self.phase is Phase.REPLYING:
            self.phase = Phase.READY

    def count_tokens(self, text: str) -> int | None:
        """The length of a text; None where nobody can say now. Blocks."""
        return counted(self._backend, text)

    def forget(self) -> None:
        """The conversation begins anew, and so do the numbers."""
        self._plain = PlainSpeed(self.ready.plain_pass_s if self.ready else 0.0)

    def show_speculation(self) -> None:
        """It is said under each reply."""

    def show_idle(self) -> None:
        """The phase says it."""

    def close(self) -> None:
        backend, self._backend = self._backend, None
        self.phase = Phase.DOWN
        if backend is not None:
            backend.close()

    def _reply(self, path: list[Node], reply: PlainReply) -> None:
        backend = self._backend
        assert backend is not None
        self._transcript.has(path)
        self._page.say(f"{(len(path) + 1) // 2} reply")
        spec = self._options.spec
        turn = PlainTurn(reply, self._dialogue, spec, off_reason(spec, self.ready), self._plain)
        self.phase = Phase.REPLYING
        messages, request = self._dialogue.messages, self._options.request()
        notices, ending = list[str](), "cancelled"
        try:
            for event in self._events(lambda: backend.chat(messages, request)):
                match event:
                    case Prefill():
                        turn.meter.observe_prefill(event)
                    case Opened():
                        reply.open_in_thinking(event.tag)
                    case Burst():
                        turn.observe(event, self._clock())
                    case Notice():
                        turn.off_reason = event.off_reason or turn.off_reason
                        # Not in the middle of the reply.
                        notices.append(event.text)
                    case Finished() if event.text:
                        turn.finish(event)
                    case Finished():
                        ending = event.finish_reason
                    case Failed():
                        ending = "failed"
                        self._page.end_line()
                        self._fail(event)
        finally:
            self._end(turn, ending)
            for notice in notices:
                self._page.say(notice)

    def _end(self, turn: PlainTurn, ending: str) -> None:
        if self.phase is Phase.REPLYING:
            self.phase = Phase.READY
        node = turn.end(ending)
        if node is None:
            self._entry.give_back(self._dialogue.withdraw())
            self._page.say("There is no reply.")
        else:
            self._page.say(past_summary(node.stats))
        self._transcript.has(self._dialogue.path)

    def _events(self, events: Callable[[], Iterator[Event]]) -> Iterator[Event]:
        """Until they end. The first Ctrl+C stops a reply; else two of them leave, as do the
        other signals."""
        backend, presses = self._backend, 0
        self.phase = self.phase if self.phase is Phase.REPLYING else Phase.LOADING
        for item in follow(events, self._signals):
            if not isinstance(item, signal.Signals):
                yield item
                continue
            presses += 1
            if item != signal.SIGINT or presses > 1 or backend is None:
                self.close()
                raise Leaving
            if self.phase is Phase.REPLYING:
                backend.stop()
            else:
                self._page.say("Press Ctrl+C again to quit.")

    def _open_for_questions(self, ready: Ready) -> None:
        self.ready, self.phase = ready, Phase.READY
        self.forget()
        self._page.say(captions.title(ready).plain)

    def _fail(self, event: Failed) -> None:
        message = f"{event.message} {event.hint}".strip()
        if event.fatal or self.phase is Phase.LOADING:
            self.phase, self.ready = Phase.DOWN, None
            message += " /restart loads the model again."
        self._page.say(message, error=True)
