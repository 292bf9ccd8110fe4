"""The engine in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from localspec.backends.arm import Arm
from localspec.backends.comparing import compare
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.loading import LoadedPair
from localspec.backends.memory import resident_bytes
from localspec.backends.sources import Texts
from localspec.chat.events import Event, Failed, Finished, Message, Notice, Opened
from localspec.errors import LocalspecError


class LocalBackend:
    """Loads and answers on the calling thread. `stop` is the one call that may come from another:
    the reply ends after the event that is under way."""

    def __init__(self, request: LoadRequest) -> None:
        self._request = request
        self._pair: LoadedPair | None = None
        self._busy = self._stopped = False

    def load(self) -> Iterator[Event]:
        self.close()
        try:
            self._pair = LoadedPair(self._request)
            yield from self._pair.load()
        except LocalspecError as error:
            self.close()
            yield failed(error)

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        return self._alone(lambda pair: self._reply(pair, messages, request))

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        return self._alone(lambda pair: self._comparison(pair, messages, request, repeats))

    def _alone(self, work: Callable[[LoadedPair], Iterator[Event]]) -> Iterator[Event]:
        """One at a time."""
        if self._pair is None:
            yield Failed("No model is loaded.", "Load one first.")
            return
        if self._busy:
            yield Failed("A reply is still running.", "Stop it, or wait for its end.")
            return
        self._busy, self._stopped = True, False
        try:
            yield from work(self._pair)
        except LocalspecError as error:
            yield failed(error)
        finally:
            self._busy = False

    def count_tokens(self, text: str) -> int | None:
        if self._pair is None or self._busy:
            return None
        return len(self._pair.model.tokenize(text, special=False))

    def _comparison(
        self, pair: LoadedPair, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        on = Arm("on", request.spec, request.num_draft_tokens)
        prompt = pair.encode(messages, request.raw)
        texts = Texts.of(request.predict, messages)
        measuring = compare(pair, prompt, request.sampling, on, repeats, texts)
        with closing(measuring):
            for event in measuring:
                # Between two runs, no reply hears a stop.
                if self._stopped:
                    seed = request.sampling.seed
                    yield Finished("", (), "cancelled", seed, request.spec)
                    return
                yield event

    def _reply(
        self, pair: LoadedPair, messages: Sequence[Message], request: ReplyRequest
    ) -> Iterator[Event]:
        if pair.template.missing and not request.raw:
            yield Notice(NO_TEMPLATE)
        speculation = pair.speculation(
            request.spec,
            request.num_draft_tokens,
            request.sampling.temperature,
            Texts.of(request.predict, messages),
        )
        prompt = pair.encode(messages, request.raw)
        if not request.raw and (tag := pair.template.opens_thinking(messages, pair.model)):
            yield Opened(tag)
        reply = pair.session.reply(prompt, request.sampling, speculation, pair.load_s)
        with closing(reply):
            for event in reply:
                if isinstance(event, Finished):
                    event = replace(event, memory_bytes=resident_bytes())
                yield event

    def stop(self) -> None:
        if self._pair is not None and self._busy:
            self._stopped = True
            self._pair.session.stop()

    def close(self) -> None:
        if self._pair is not None:
            self._pair.close()
            self._pair = None


NO_TEMPLATE = "This file has no chat template; it is probably not a chat model. It just continues."


def failed(error: LocalspecError) -> Failed:
    return Failed(error.message, error.hint, error.exit_code)
