"""Engine processes that are gone when the test is."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from localspec.backends.interface import Backend, LoadRequest, ReplyRequest
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Event, Message, Ready
from localspec.engine.sampling import SamplingParams

MakeWorker = Callable[[str], WorkerBackend]

_WATCHDOG_S = 60.0


@pytest.fixture
def make_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeWorker]:
    """Make workers of a fake backend by its name."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    workers: list[WorkerBackend] = []

    def make(name: str) -> WorkerBackend:
        factory = name if ":" in name else f"tests.backends.fake_backends:{name}"
        workers.append(WorkerBackend(LoadRequest("pair", ctx=512), factory))
        return workers[-1]

    def close() -> None:
        for worker in workers:
            worker.close()

    # A fault fails the test then, instead of hanging it.
    watchdog = threading.Timer(_WATCHDOG_S, close)
    watchdog.start()
    yield make
    watchdog.cancel()
    close()


@pytest.fixture
def worker(make_worker: MakeWorker) -> WorkerBackend:
    """One that is loaded."""
    worker = make_worker("FakeBackend")
    assert isinstance(list(worker.load())[-1], Ready)
    return worker


def ask(backend: Backend, text: str, seed: int = 0) -> Iterator[Event]:
    return backend.chat([Message("user", text)], ReplyRequest(SamplingParams(seed=seed)))


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)
