"""Pulls inside a screen: no terminal, no output of any library, progress all the while."""

import io
import logging
import multiprocessing
import socket
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from localspec.models import store
from localspec.models.choosing import PullRequest
from localspec.models.events import Event, Progress
from localspec.models.examining import examine
from localspec.models.pull import pull
from tests.models.scene import Scene, finish

REPO, FILE = "someone/Any", "Any-Q4_K_M.gguf"
PATH = f"/{REPO}/resolve/*/{FILE}"


class NoDescriptor(io.StringIO):
    """The stderr of a screen: no descriptor, and nothing may be written to it."""

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", ["tiny", REPO])
def test_a_pull_in_a_thread_writes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """B24: the library's progress bar took the download down, or wrote over the screen."""
    scene.stub.add_repo(REPO, {FILE: scene.target})
    screen, events, failures = NoDescriptor(), list[Event](), list[BaseException]()
    for stream in ("stdout", "stderr", "__stdout__", "__stderr__"):
        monkeypatch.setattr(sys, stream, screen)
    # As if nobody had told the library to be silent.
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", False)
    monkeypatch.setattr(logging.getLogger("huggingface_hub"), "level", logging.DEBUG)

    def work() -> None:
        try:
            events.extend(pull(PullRequest(name)))
        except BaseException as error:
            failures.append(error)

    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("spawn", force=True)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(30)
    finally:
        multiprocessing.set_start_method(before, force=True)
    assert failures == []
    assert screen.getvalue() == ""
    assert store.resolve(name).target.read_bytes() == scene.target
    assert any(isinstance(event, Progress) for event in events)


@pytest.mark.parametrize("faults", ["faults", "span_faults"])
def test_a_silent_line_is_told_of(scene: Scene, faults: str) -> None:
    """B24: progress sat still for minutes, as if the program hung."""
    scene.stub.add_repo(REPO, {FILE: scene.target})
    getattr(scene.stub, faults)[PATH] = ["stall:5000"]
    events = scene.pull(REPO, with_draft=False)
    waited = [event for event in events if isinstance(event, Progress) and event.done == 5000]
    assert "waiting" in {event.state for event in waited}
    # A few times a second: 3 seconds of silence.
    assert len(waited) > 5


def test_both_files_tell_their_bytes_and_the_check_is_called_so(scene: Scene) -> None:
    """B24: hashing looked like a download that stands at 100 %."""
    scene.stub.faults[scene.target_path] = ["drip:40000"]
    events = [event for event in scene.pull() if isinstance(event, Progress)]
    assert {event.role for event in events} == {"target", "draft"}
    assert any(event.state == "downloading" and event.bytes_per_second > 0 for event in events)
    for role in ("target", "draft"):
        states = [event.state for event in events if event.role == role]
        assert states.index("checking") > states.index("reading")
        assert states[-1] == "present"


def test_what_is_here_touches_no_socket(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """B39: a look at the network came before what is on disk."""

    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError("the network was touched")

    scene.stub.add_repo(REPO, {FILE: scene.target})
    scene.pull()
    scene.pull(REPO)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for name in ("tiny", REPO):
        scene.pull(name)
        _, verdict = finish(examine(PullRequest(name)))
        assert verdict.missing_bytes == 0
        assert store.resolve(name).target.is_file()
    assert len(store.installed()) == 2


@pytest.mark.parametrize("folder", ["with space", "é ü 模型", "a'b&c"])
def test_without_the_right_to_link_any_path_works(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """B48: without symlink rights a model was "not found", or lay on the disk twice."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1314, "A required privilege is not held by the client")

    cache = scene.home / folder
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(Path, "symlink_to", refuse)
    scene.stub.add_repo(REPO, {f"sub dir/{FILE}": scene.target})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.pull(REPO, with_draft=False)
    held = [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]
    target = store.resolve(REPO).target
    assert sorted(path.stat().st_size for path in held)[-1] == len(scene.target)
    assert sum(path.stat().st_size for path in held) < len(scene.target) + 1000
    assert target.read_bytes() == scene.target
    scene.stub.log.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    scene.pull(REPO)
    assert scene.stub.log == []
