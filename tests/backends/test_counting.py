"""How many tokens a text has, asked of the engine's process."""

from __future__ import annotations

import threading
from contextlib import closing

from localspec.backends.interface import LoadRequest
from localspec.backends.local import LocalBackend
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Burst, Failed, Finished
from tests.backends.conftest import MakeWorker, ask
from tests.backends.fake_backends import FOR_EVER


def test_the_process_counts_between_replies(worker: WorkerBackend) -> None:
    assert worker.count_tokens("four") == 4
    assert isinstance(list(ask(worker, "count 3"))[-1], Finished)
    assert worker.count_tokens("\ud800 half a character\n") == 19


def test_nobody_counts_during_a_reply(worker: WorkerBackend) -> None:
    reply = ask(worker, f"count {FOR_EVER}")
    next(reply)
    assert worker.count_tokens("four") is None
    reply.close()
    assert worker.count_tokens("four") == 4


def test_nobody_counts_without_a_model(make_worker: MakeWorker) -> None:
    worker = make_worker("FakeBackend")
    assert worker.count_tokens("four") is None
    worker.close()
    assert worker.count_tokens("four") is None


def test_a_question_is_not_refused_for_a_count(worker: WorkerBackend) -> None:
    """Enter while an attached file was counted said that a reply was still running."""
    text = "x" * 3_000_000
    for number in range(3):
        counting = threading.Thread(target=worker.count_tokens, args=(text,))
        counting.start()
        *_, end = ask(worker, "count 2")
        assert isinstance(end, Finished), number
        counting.join()


def test_a_count_that_fails_costs_nothing(worker: WorkerBackend) -> None:
    assert worker.count_tokens("raise") is None
    assert worker.count_tokens("four") == 4


def test_a_death_while_counting_is_told_to_the_next_question(worker: WorkerBackend) -> None:
    assert worker.count_tokens("abort") is None
    *_, end = ask(worker, "hi")
    assert isinstance(end, Failed)
    assert "SIGABRT" in end.message


def test_the_count_is_that_of_the_target_s_tokenizer(tiny_pair: str) -> None:
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=512, threads=1))) as backend:
        assert backend.count_tokens("Hi there") is None
        list(backend.load())
        count = backend.count_tokens("Hi there")
        assert count is not None
        assert 1 <= count <= len("Hi there") + 1
        reply = ask(backend, "Hi there")
        while not isinstance(next(reply), Burst):
            pass
        assert backend.count_tokens("Hi there") is None
        reply.close()
