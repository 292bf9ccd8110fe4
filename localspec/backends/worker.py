"""The engine in a child process: its death is an event, not the end of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock

from localspec import paths
from localspec.backends.commands import LAST_EVENTS, Chat, Compare, Count, Load, Request, Stop
from localspec.backends.engine_process import EngineProcess
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.chat.events import Counted, Event, Failed, Message

_BUSY = Failed("A reply is still running.", "Stop it, or wait for its end.")
_CLOSED = Failed("The engine was closed.", fatal=True)
_NOT_LOADED = Failed("No model is loaded.", "Load one first.", fatal=True)


class WorkerBackend:
    """Each `load` starts a fresh process, so the old model's memory is free before. `stop` and
    `close` may be called from any thread; once closed, it stays closed."""

    def __init__(
        self, request: LoadRequest, factory: str = "localspec.backends.local:LocalBackend"
    ) -> None:
        """`factory` is the module and name of the backend that the child makes of the request."""
        self._request = request
        self._factory = factory
        self._process: EngineProcess | None = None
        self._closed = False
        self._owning = Lock()
        self._busy = Lock()
        self._counting = Lock()
        """A question that comes meanwhile waits; it isn't refused for a count."""
        self._number = 0

    def load(self) -> Iterator[Event]:
        if not self._begin():
            yield _BUSY
            return
        try:
            self._end_process()
            if (process := self._start_process()) is None:
                yield _CLOSED
            else:
                yield from self._answer(process, Load(self._request))
        except OSError as error:
            yield Failed(f"The engine's process can't be started: {error}.", fatal=True)
        finally:
            self._busy.release()

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        turns = tuple(_sendable(message) for message in messages)
        return self._ask(lambda number: Chat(number, turns, request))

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        turns = tuple(_sendable(message) for message in messages)
        return self._ask(lambda number: Compare(number, turns, request, repeats))

    def _ask(self, command: Callable[[int], Request]) -> Iterator[Event]:
        if not self._begin():
            yield _BUSY
            return
        try:
            if (process := self._process) is None:
                yield _CLOSED if self._closed else _NOT_LOADED
            else:
                self._number += 1
                yield from self._answer(process, command(self._number))
        finally:
            self._busy.release()

    def count_tokens(self, text: str) -> int | None:
        with self._counting:
            if not self._busy.acquire(blocking=False):
                return None
            try:
                if (process := self._process) is None:
                    return None
                process.send(Count(_without_halves(text)))
                # A death is left for the next question to find, which says more about it.
                event = process.receive()
                return event.num_tokens if isinstance(event, Counted) else None
            finally:
                self._busy.release()

    def _begin(self) -> bool:
        with self._counting:
            return self._busy.acquire(blocking=False)

    def stop(self) -> None:
        if (process := self._process) is not None:
            # For a reply that has ended already, it means nothing to the child.
            process.send(Stop(self._number))

    def close(self) -> None:
        with self._owning:
            self._closed = True
        self._end_process()

    def _start_process(self) -> EngineProcess | None:
        with self._owning:
            if not self._closed:
                self._process = EngineProcess(self._factory)
            return self._process

    def _end_process(self) -> None:
        with self._owning:
            process, self._process = self._process, None
        if process is not None:
            process.end()

    def _answer(self, process: EngineProcess, command: Request) -> Iterator[Event]:
        process.send(command)
        event: Event | None = None
        try:
            while not isinstance(event, LAST_EVENTS):
                event = process.receive() or self._death(process, command)
                yield event
        finally:
            if not isinstance(event, LAST_EVENTS):
                self._abandon(process, command)

    def _abandon(self, process: EngineProcess, command: Request) -> None:
        """The iterator was closed: leave nothing that the next answer could be mixed up with."""
        if isinstance(command, Load):
            self._end_process()
            return
        process.send(Stop(command.number))
        while (event := process.receive()) is not None and not isinstance(event, LAST_EVENTS):
            pass

    def _death(self, process: EngineProcess, command: Request) -> Failed:
        if self._process is not process:
            return _CLOSED
        how = ": ".join(filter(None, (process.end(), process.last_words())))
        self._end_process()
        servers = " and ".join(self._request.rpc)
        cause = "The conversation is kept."
        if servers:
            cause = f"Perhaps an RPC server is gone: {servers}. {cause}"
        elif isinstance(command, Load):
            cause = "Perhaps a file isn't what llama.cpp expects: `localspec show NAME --verify`."
        hint = f"{cause} The engine's log is {paths.log_file()}."
        return Failed(f"The engine's process ended ({how}).", hint, fatal=True)


def _sendable(message: Message) -> Message:
    return replace(message, content=_without_halves(message.content))


def _without_halves(text: str) -> str:
    """A terminal may deliver half a character, which JSON can't hold."""
    return text.encode("utf-8", "replace").decode()
