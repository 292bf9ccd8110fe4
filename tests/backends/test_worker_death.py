"""The engine's process dies, or its parent does: nobody hangs and nothing is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from localspec import paths
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Burst, Event, Failed, Finished, Ready
from localspec.engine.interface import Prefill
from tests.backends.conftest import MakeWorker, ask, children
from tests.backends.fake_backends import FOR_EVER

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


def last(events: Iterator[Event]) -> Event:
    *_, event = events
    return event


def assert_died(event: Event, how: str) -> None:
    assert isinstance(event, Failed)
    assert event.fatal
    assert how in event.message
    assert "conversation is kept" in event.hint
    assert str(paths.log_file()) in event.hint
    assert children() == []


def assert_usable_after_a_load(worker: WorkerBackend) -> None:
    (failed,) = ask(worker, "hi")
    assert isinstance(failed, Failed)
    assert failed.fatal
    assert isinstance(last(worker.load()), Ready)
    assert isinstance(last(ask(worker, "hi")), Finished)


@pytest.mark.parametrize("verb", ["count", "prefill"])
def test_a_kill_during_a_reply_is_an_event(worker: WorkerBackend, verb: str) -> None:
    reply = ask(worker, f"{verb} {FOR_EVER}")
    assert isinstance(next(reply), Burst | Prefill)
    children()[0].kill()
    assert_died(last(reply), "SIGKILL, perhaps for want of memory")
    assert_usable_after_a_load(worker)


def test_an_abort_in_native_code_is_an_event(worker: WorkerBackend) -> None:
    burst, failed = ask(worker, "abort")
    assert isinstance(burst, Burst)
    assert_died(failed, "SIGABRT")
    assert_usable_after_a_load(worker)


def test_an_abort_while_loading_is_an_event(make_worker: MakeWorker) -> None:
    """With what llama.cpp found wrong, which only the log told."""
    for _ in range(2):
        died = last(make_worker("AbortsWhileLoading").load())
        assert isinstance(died, Failed)
        assert "ended (SIGABRT: GGML_ASSERT(n > (2)) failed)." in died.message
        assert "show NAME --verify" in died.hint
        assert str(paths.log_file()) in died.hint
        assert children() == []


def test_a_death_between_replies_is_told_at_the_next(worker: WorkerBackend) -> None:
    (child,) = children()
    child.kill()
    worker.stop()
    (failed,) = ask(worker, "hi" * 100_000)
    assert_died(failed, "SIGKILL")


def test_a_death_while_the_reply_is_given_up_is_told_at_the_next(worker: WorkerBackend) -> None:
    reply = ask(worker, "hang")
    next(reply)
    threading.Timer(0.1, children()[0].kill).start()
    reply.close()
    (failed,) = ask(worker, "hi")
    assert_died(failed, "SIGKILL")


@pytest.mark.parametrize("text", [f"count {FOR_EVER}", "hang"])
def test_close_from_another_thread_ends_a_reply(worker: WorkerBackend, text: str) -> None:
    reply = ask(worker, text)
    next(reply)
    closing = threading.Thread(target=worker.close)
    closing.start()
    assert last(reply) == Failed("The engine was closed.", fatal=True)
    closing.join()
    assert children() == []
    worker.close()
    assert list(worker.load()) == [Failed("The engine was closed.", fatal=True)]
    assert list(ask(worker, "hi")) == [Failed("The engine was closed.", fatal=True)]


def test_close_frees_the_backend_in_order(worker: WorkerBackend) -> None:
    worker.close()
    assert "closed in order" in paths.log_file().read_text()
    assert children() == []


def test_close_ends_a_process_that_no_longer_runs(worker: WorkerBackend) -> None:
    children()[0].suspend()
    worker.close()
    assert children() == []


def test_the_terminals_interrupt_does_not_reach_the_engine(worker: WorkerBackend) -> None:
    (child,) = children()
    assert os.getpgid(child.pid) != os.getpgid(0)


@pytest.mark.parametrize("text", [f"count {FOR_EVER}", "hang", ""])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_engine_ends_with_its_parent(text: str, how: signal.Signals) -> None:
    code = f"""
from localspec.backends.interface import LoadRequest
from localspec.backends.worker import WorkerBackend
from tests.backends.conftest import ask, children
worker = WorkerBackend(LoadRequest("pair"), "tests.backends.fake_backends:FakeBackend")
list(worker.load())
print(children()[0].pid, flush=True)
for event in ask(worker, {text!r}):
    pass
input()
"""
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    ) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(how)
    assert is_gone(child)


def is_gone(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        for _ in range(200):
            # Where nobody adopts orphans, a dead one stays in the table.
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
            time.sleep(0.05)
        return False
    return True
