"""The real engine in the real child process, on a tiny model."""

from collections.abc import Iterator
from contextlib import closing

import psutil
import pytest

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Burst, Failed, Finished, Message, Ready
from localspec.engine.sampling import SamplingParams

HI = [Message("user", "Hi there")]


def greedy(max_tokens: int) -> ReplyRequest:
    return ReplyRequest(SamplingParams(temperature=0.0, max_tokens=max_tokens), num_draft_tokens=3)


@pytest.fixture
def worker(tiny_pair: str) -> Iterator[WorkerBackend]:
    with closing(WorkerBackend(LoadRequest(tiny_pair, ctx=32768, threads=1))) as backend:
        assert isinstance(list(backend.load())[-1], Ready)
        yield backend


def test_a_reply_crosses_the_process_border(worker: WorkerBackend) -> None:
    events = list(worker.chat(HI, greedy(20)))
    assert isinstance(events[-1], Finished)
    assert events[-1].text == "".join(e.text for e in events if isinstance(e, Burst))
    assert events[-1].stats["num_accepted_tokens"] > 0


def test_a_stop_reaches_the_engine_between_two_rounds(worker: WorkerBackend) -> None:
    events = []
    for event in worker.chat(HI, ReplyRequest(SamplingParams(seed=1, max_tokens=30_000))):
        events.append(event)
        if isinstance(event, Burst):
            worker.stop()
    assert isinstance(events[-1], Finished)
    assert events[-1].finish_reason == "cancelled"
    assert isinstance(list(worker.chat(HI, greedy(5)))[-1], Finished)


def test_a_killed_engine_is_an_event_and_can_be_loaded_again(worker: WorkerBackend) -> None:
    """A native abort took the terminal and the conversation with it."""
    events = []
    for event in worker.chat(HI, ReplyRequest(SamplingParams(seed=1, max_tokens=30_000))):
        events.append(event)
        if isinstance(event, Burst):
            for child in psutil.Process().children():
                child.kill()
    assert isinstance(events[-1], Failed)
    assert events[-1].fatal
    assert isinstance(list(worker.load())[-1], Ready)
    assert isinstance(list(worker.chat(HI, greedy(5)))[-1], Finished)
