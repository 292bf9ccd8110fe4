"""The engine's own process: `python -m localspec.backends.worker_process module:Backend`.

A thread listens for commands; everything native happens on the main thread. The process ends when
its commands do: the parent closed it, or is gone.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any, BinaryIO

from localspec import paths
from localspec.backends.commands import LAST_EVENTS, Compare, Count, Load, Request
from localspec.backends.inbox import Inbox
from localspec.backends.interface import Backend, LoadRequest
from localspec.chat.events import Counted, Event, Failed, to_json
from localspec.errors import LocalspecError


class Worker:
    """Obeys with one backend."""

    def __init__(
        self, make_backend: Callable[[LoadRequest], Backend], inbox: Inbox, output: BinaryIO
    ) -> None:
        self._make_backend = make_backend
        self._inbox = inbox
        self._output = output
        self._backend: Backend | None = None

    def run(self) -> None:
        while (command := self._inbox.queue.get()) is not None:
            try:
                self._obey(command)
            except LocalspecError as error:
                self._emit(Failed(error.message, error.hint, error.exit_code))
            except Exception as error:
                traceback.print_exc()
                reason = " ".join(str(error).split())
                message = f"The engine failed: {type(error).__name__}: {reason}."
                self._emit(Failed(message, f"Its log is {paths.log_file()}."))
        if self._backend is not None:
            self._backend.close()

    def _obey(self, command: Request | Count) -> None:
        if isinstance(command, Load):
            self._backend = self._make_backend(command.request)
        if isinstance(command, Count):
            self._emit(self._counted(command.text))
            return
        event: Event | None = None
        for event in self._events(command):
            self._emit(event)
            if self._inbox.ended:
                return
            if self._inbox.stopped(command) and self._backend is not None:
                self._backend.stop()
        if not isinstance(event, LAST_EVENTS):
            self._emit(Failed("The engine broke off without a result."))

    def _events(self, command: Request) -> Iterator[Event]:
        if self._backend is None:
            return iter([Failed("No model is loaded.")])
        if isinstance(command, Load):
            return self._backend.load()
        if isinstance(command, Compare):
            return self._backend.compare(command.messages, command.request, command.repeats)
        return self._backend.chat(command.messages, command.request)

    def _counted(self, text: str) -> Event:
        num = self._backend.count_tokens(text) if self._backend is not None else None
        return Failed("No model is loaded.") if num is None else Counted(num)

    def _emit(self, event: Event) -> None:
        try:
            self._output.write(to_json(event).encode() + b"\n")
            self._output.flush()
        except BrokenPipeError:
            # The parent is gone: the inbox ends in a moment, and the process with it.
            pass


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes of the protocol; what native code prints goes to the log, never between events."""
    source, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, output


def _factory(name: str) -> Callable[[LoadRequest], Backend]:
    """Imported at its first call, so that a failure is answered like any other."""

    def make_backend(request: LoadRequest) -> Backend:
        module, _, attribute = name.partition(":")
        backend_class: Any = getattr(importlib.import_module(module), attribute)
        backend: Backend = backend_class(request)
        return backend

    return make_backend


def main() -> None:
    source, output = _private_pipes()
    inbox = Inbox(source)
    Thread(target=inbox.listen, daemon=True).start()
    code = 1
    try:
        Worker(_factory(sys.argv[1]), inbox, output).run()
        code = 0
    finally:
        # A regular exit would wait for the listening thread and run native destructors.
        os._exit(code)


if __name__ == "__main__":
    main()
