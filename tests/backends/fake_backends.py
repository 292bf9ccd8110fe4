"""Backends for the child process: what they do stands in the last message."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.chat.events import Burst, Event, Finished, Loading, Measuring, Message, Piece, Ready
from localspec.engine.interface import Prefill, Round
from localspec.errors import UsageError

FOR_EVER = 10**9


class FakeBackend:
    """Answers `count N`, `prefill N`, `abort`, `hang`, `raise`, `refuse`, `print`, `silent`; says
    anything else again."""

    def __init__(self, request: LoadRequest) -> None:
        self._request = request
        self._stopped = False

    def load(self) -> Iterator[Event]:
        yield Loading("target", 0.5)
        yield Ready(self._request.name, "t.gguf", "", "CPU", self._request.ctx, 0.1)

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        self._stopped = False
        verb, _, number = messages[-1].content.partition(" ")
        text = messages[-1].content
        if verb in ("count", "prefill"):
            make = _burst if verb == "count" else _prefill
            for index in range(int(number)):
                if self._stopped:
                    yield Finished(text, (), "cancelled", request.sampling.seed, "off")
                    return
                yield make(index)
                time.sleep(0.001)
        elif verb == "abort":
            yield _burst(0)
            os.abort()
        elif verb == "hang":
            yield _burst(0)
            time.sleep(3600)
        elif verb == "raise":
            raise ValueError("no\nway")
        elif verb == "refuse":
            raise UsageError("The prompt is empty.", "Type something.")
        elif verb == "silent":
            return
        elif verb == "print":
            os.write(1, b'garbage\n{"kind": "failed", "message": "fake"}\nhalf a line')
            print("more garbage", flush=True)
            text = sys.stdin.read()
        on_main = threading.current_thread() is threading.main_thread()
        spec = "on main" if on_main else "on another thread"
        yield Finished(text, (), "stop", request.sampling.seed, spec)

    def count_tokens(self, text: str) -> int | None:
        if text == "abort":
            os.abort()
        if text == "raise":
            raise ValueError("no way")
        return len(text)

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        """Says the same with other words."""
        for event in self.chat(messages, request):
            is_end = isinstance(event, Finished)
            yield event if is_end else Measuring("off", 1, repeats, 1, None)

    def stop(self) -> None:
        self._stopped = True

    def close(self) -> None:
        print("closed in order", file=sys.stderr, flush=True)


class AbortsWhileLoading(FakeBackend):
    def load(self) -> Iterator[Event]:
        yield Loading("target", 0.5)
        os.write(2, b"/build/llama.cpp:7: GGML_ASSERT(n > (2)) failed\nsome frames\n")
        os.abort()


class LoadsForEver(FakeBackend):
    def load(self) -> Iterator[Event]:
        while True:
            yield Loading("target", 0.5)
            time.sleep(0.01)


def _burst(index: int) -> Burst:
    return Burst((Piece(f"{index} ", "target"),), Round((index,)), 0.001)


def _prefill(index: int) -> Prefill:
    return Prefill(index, FOR_EVER)
