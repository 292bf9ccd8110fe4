"""The engine's process: answered, stopped, refused, in order."""

import os
import threading
from collections.abc import Iterator

import psutil
import pytest

from localspec import paths
from localspec.backends.interface import Backend, ReplyRequest
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import (
    Burst,
    Event,
    Failed,
    Finished,
    Loading,
    Measuring,
    Message,
    Ready,
)
from localspec.engine.interface import Prefill
from tests.backends.conftest import MakeWorker, ask, children
from tests.backends.fake_backends import FOR_EVER


def test_requests_and_events_pass_unchanged(make_worker: MakeWorker) -> None:
    backend: Backend = make_worker("FakeBackend")
    assert list(backend.load()) == [
        Loading("target", 0.5),
        Ready("pair", "t.gguf", "", "CPU", 512, 0.1),
    ]
    text = "line\nüñ🙂\u2028\x00" * 20_000
    assert list(ask(backend, text, seed=7)) == [Finished(text, (), "stop", 7, "on main")]


def test_events_arrive_as_they_happen(worker: WorkerBackend) -> None:
    reply = ask(worker, f"count {FOR_EVER}")
    assert isinstance(next(reply), Burst)
    reply.close()


@pytest.mark.parametrize("verb", ["count", "prefill"])
def test_stop_ends_a_reply_from_any_thread(worker: WorkerBackend, verb: str) -> None:
    reply = ask(worker, f"{verb} {FOR_EVER}", seed=3)
    assert isinstance(next(reply), Burst | Prefill)
    threading.Thread(target=worker.stop).start()
    *_, end = reply
    assert isinstance(end, Finished)
    assert (end.finish_reason, end.seed) == ("cancelled", 3)


def compared(worker: WorkerBackend, text: str) -> Iterator[Event]:
    return worker.compare([Message("user", text)], ReplyRequest(), 3)


def test_a_comparison_runs_in_the_child_and_is_stopped_as_a_reply(worker: WorkerBackend) -> None:
    events = compared(worker, f"count {FOR_EVER}")
    assert next(events) == Measuring("off", 1, 3, 1, None)
    (refused,) = ask(worker, "hi")
    assert isinstance(refused, Failed)
    threading.Thread(target=worker.stop).start()
    *_, end = events
    assert isinstance(end, Finished)
    assert end.finish_reason == "cancelled"
    *_, end = ask(worker, "count 20")
    assert isinstance(end, Finished)
    assert end.finish_reason == "stop"


def test_a_comparison_that_kills_the_child_is_one_failure(worker: WorkerBackend) -> None:
    *_, failed = compared(worker, "abort")
    assert isinstance(failed, Failed)
    assert failed.fatal
    assert isinstance(list(worker.load())[-1], Ready)


def test_a_stop_that_comes_late_does_not_end_the_next_reply(worker: WorkerBackend) -> None:
    list(ask(worker, "count 1"))
    worker.stop()
    *bursts, end = ask(worker, "count 20")
    assert len(bursts) == 20
    assert isinstance(end, Finished)
    assert end.finish_reason == "stop"


def test_closing_the_iterator_leaves_nothing_for_the_next_reply(worker: WorkerBackend) -> None:
    for index in range(5):
        reply = ask(worker, f"count {FOR_EVER}")
        next(reply)
        reply.close()
        assert list(ask(worker, f"again {index}")) == [
            Finished(f"again {index}", (), "stop", 0, "on main")
        ]


def test_a_second_question_is_refused_while_a_reply_runs(worker: WorkerBackend) -> None:
    reply = ask(worker, f"count {FOR_EVER}")
    next(reply)
    for refused in (list(ask(worker, "hi")), list(worker.load())):
        (failed,) = refused
        assert isinstance(failed, Failed)
        assert "still running" in failed.message
        assert not failed.fatal
    assert isinstance(next(reply), Burst)
    reply.close()
    assert isinstance(list(ask(worker, "hi"))[-1], Finished)


def test_what_native_code_prints_goes_to_the_log(worker: WorkerBackend) -> None:
    assert list(ask(worker, "print")) == [Finished("", (), "stop", 0, "on main")]
    assert list(ask(worker, "hi")) == [Finished("hi", (), "stop", 0, "on main")]
    log = paths.log_file().read_text()
    assert "garbage" in log
    assert "more garbage" in log


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("refuse", Failed("The prompt is empty.", "Type something.", 2)),
        ("silent", Failed("The engine broke off without a result.")),
    ],
)
def test_a_failure_is_an_event(worker: WorkerBackend, text: str, failed: Failed) -> None:
    assert list(ask(worker, text)) == [failed]
    assert isinstance(list(ask(worker, "hi"))[-1], Finished)


def test_a_fault_in_the_engine_is_one_line_and_in_the_log(worker: WorkerBackend) -> None:
    (failed,) = ask(worker, "raise")
    assert isinstance(failed, Failed)
    assert failed.message == "The engine failed: ValueError: no way."
    assert "Traceback" in paths.log_file().read_text()
    assert isinstance(list(ask(worker, "hi"))[-1], Finished)


def test_half_a_character_is_sent_as_a_question_mark(worker: WorkerBackend) -> None:
    assert list(ask(worker, "a\udce4b")) == [Finished("a?b", (), "stop", 0, "on main")]


def test_two_loads_leave_one_process(worker: WorkerBackend) -> None:
    (first,) = children()
    assert isinstance(list(worker.load())[-1], Ready)
    (second,) = children()
    assert first.pid != second.pid
    assert isinstance(list(ask(worker, "hi"))[-1], Finished)


def test_a_load_that_is_given_up_ends_its_process(make_worker: MakeWorker) -> None:
    backend = make_worker("LoadsForEver")
    loading = backend.load()
    next(loading)
    loading.close()
    assert children() == []
    (failed,) = ask(backend, "hi")
    assert isinstance(failed, Failed)
    assert failed.fatal


@pytest.mark.parametrize("factory", ["no_such_module:Backend", "NoSuchBackend"])
def test_a_backend_that_can_not_be_made_is_a_failure(make_worker: MakeWorker, factory: str) -> None:
    backend = make_worker(factory)
    (failed,) = backend.load()
    assert isinstance(failed, Failed)
    assert "The engine failed" in failed.message
    assert [e.message for e in ask(backend, "hi") if isinstance(e, Failed)] == [
        "No model is loaded."
    ]


def test_nothing_is_asked_of_a_backend_that_was_not_loaded(make_worker: MakeWorker) -> None:
    backend = make_worker("FakeBackend")
    backend.stop()
    (failed,) = ask(backend, "hi")
    assert isinstance(failed, Failed)
    assert failed.message == "No model is loaded."
    assert children() == []


@pytest.mark.skipif(os.name == "nt", reason="counts POSIX descriptors")
def test_no_descriptor_is_left_open(make_worker: MakeWorker) -> None:
    before = psutil.Process().num_fds()
    for _ in range(2):
        backend = make_worker("FakeBackend")
        list(backend.load())
        list(ask(backend, "hi"))
        backend.close()
    assert psutil.Process().num_fds() == before
    assert children() == []
