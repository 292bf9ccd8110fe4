"""A pair on another machine's devices: llama.cpp's RPC server on loopback. Run by hand, with a
llama.cpp that has the RPC backend: `pytest -m rpc`."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from localspec import paths
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Event, Failed, Finished, Message, Notice, Ready
from localspec.engine.sampling import SamplingParams
from localspec.llama import log, rpc
from localspec.llama.devices import devices
from tests.conftest import register
from tests.tiny_gguf import write_model

pytestmark = [
    pytest.mark.rpc,
    pytest.mark.skipif(not rpc.supported(), reason="llama.cpp was built without GGML_RPC"),
]

ROOT = Path(__file__).parents[2]
HI = [Message("user", "Hi there")]


class Server:
    """One process; `megabytes` limits what it can hold."""

    def __init__(self, megabytes: int | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        arguments = [str(self.port)] + ([] if megabytes is None else [str(megabytes)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.rpc_server", *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        end = monotonic() + 20
        while monotonic() < end:
            try:
                rpc.connect([self.address])
                return
            except Exception:
                sleep(0.1)
        raise AssertionError("the server does not start")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.kill()


@pytest.fixture
def small_server() -> Iterator[Server]:
    server = Server(megabytes=110)
    yield server
    server.kill()


@pytest.fixture
def wide_pair(own_home: Path, tmp_path: Path) -> str:
    """4 KB a token and model: 33 MB of cache each at 8192 tokens."""
    files = {
        role: write_model(
            tmp_path / f"{role}.gguf", n_embd=512, n_layer=2, n_ctx_train=65536, spread=4.0,
            noise=noise,
        )
        for role, noise in (("target", 0.0), ("draft", 0.02))
    }  # fmt: skip
    register("wide", **files)
    return "wide"


def load(request: LoadRequest) -> tuple[list[str], Event]:
    with closing(LocalBackend(request)) as backend:
        events = list(backend.load())
        if isinstance(events[-1], Ready):
            reply(backend)
    return [event.text for event in events if isinstance(event, Notice)], events[-1]


def reply(backend: LocalBackend | WorkerBackend) -> Finished:
    sampling = SamplingParams(temperature=0.0, max_tokens=16)
    *_, end = backend.chat(HI, ReplyRequest(sampling, "draft", 3))
    assert isinstance(end, Finished), end
    return end


def device_of(server: Server) -> str:
    (name,) = [device.name for device in devices([server.address]) if device.kind == "rpc"]
    return name


def test_memory_is_the_servers(server: Server) -> None:
    (device,) = [device for device in devices([server.address]) if device.kind == "rpc"]
    assert device.description == server.address
    assert 0 < device.memory_free <= device.memory_total
    assert not any(device.kind == "rpc" for device in devices())


@pytest.mark.parametrize(
    ("change", "target", "draft"),
    [
        ({}, "RPC", "RPC"),
        ({"device": "cpu"}, "CPU", "CPU"),
        ({"draft_device": "cpu"}, "RPC", "CPU"),
        ({"device": "cpu", "draft_device": "RPC"}, "CPU", "RPC"),
        ({"gpu_layers": 1}, "1/3", "RPC"),
    ],
)
def test_target_and_draft_go_where_they_were_told_to(
    wide_pair: str,
    server: Server,
    change: dict[str, Any],
    target: str,
    draft: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By llama.cpp's own log, not by what localspec says."""
    monkeypatch.setattr(log, "_sink", None)
    name = device_of(server)
    named = {key: name if value == "RPC" else value for key, value in change.items()}
    request = LoadRequest(wide_pair, ctx=2048, threads=1, rpc=(server.address,), **named)
    notices, end = load(request)
    assert notices == []
    assert isinstance(end, Ready)
    for told, wanted in ((end.device, target), (end.draft_device, draft)):
        assert told == "CPU" if wanted == "CPU" else (name if wanted == "RPC" else wanted) in told
    written = paths.log_file().read_text("utf-8", "replace")
    buffers = re.findall(r"load_tensors:\s+(\S+) model buffer size", written)
    remote = [buffer for buffer in buffers if buffer.startswith("RPC")]
    assert len(remote) == (target != "CPU") + (draft != "CPU")


def test_two_servers_share_the_target_and_one_has_the_draft(wide_pair: str) -> None:
    first, second = Server(), Server()
    try:
        names = device_of(first), device_of(second)
        request = LoadRequest(
            wide_pair, ctx=2048, threads=1, rpc=(first.address, second.address),
            device=",".join(names), tensor_split=(2.0, 1.0),
        )  # fmt: skip
        notices, end = load(request)
        assert notices == []
        assert isinstance(end, Ready)
        assert end.device == f"{names[0]}+{names[1]} · 3/3 layers"
        assert end.draft_device in (f"{name} · 3/3 layers" for name in names)
    finally:
        first.kill()
        second.kill()


def test_the_text_is_that_of_the_cpu(wide_pair: str, server: Server) -> None:
    texts = []
    for servers in ((), (server.address,)):
        with closing(LocalBackend(LoadRequest(wide_pair, 2048, threads=1, rpc=servers))) as pair:
            list(pair.load())
            texts.append(reply(pair).token_ids)
    assert texts[0] == texts[1]


def test_a_server_without_room_gets_less_step_by_step(wide_pair: str, small_server: Server) -> None:
    """Real refusals of a server whose allocations fail."""
    request = LoadRequest(wide_pair, ctx=65536, threads=1, rpc=(small_server.address,))
    notices, end = load(request)
    assert isinstance(end, Ready), end
    assert notices
    assert all(text.startswith("Too little memory: ") for text in notices)
    assert end.n_ctx < 65536
    again, second = load(request)
    assert again[0].startswith("As at an earlier load, for want of memory: a context of ")
    assert isinstance(second, Ready)
    assert second.n_ctx == end.n_ctx


def test_a_server_that_serves_another_is_not_waited_for(wide_pair: str, server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)):
        _, end = load(LoadRequest(wide_pair, ctx=512, rpc=(server.address,)))
    assert isinstance(end, Failed)
    assert "does not answer" in end.message


def test_a_server_that_is_gone_is_refused_before_llama_cpp_asks_it(
    wide_pair: str, server: Server
) -> None:
    request = LoadRequest(wide_pair, ctx=512, threads=1, rpc=(server.address,))
    assert isinstance(load(request)[1], Ready)
    server.kill()
    _, end = load(request)
    assert isinstance(end, Failed)
    assert "can't be reached" in end.message
    assert isinstance(load(replace(request, rpc=()))[1], Ready)


def test_a_server_that_dies_in_a_reply_ends_the_child_alone(
    wide_pair: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    request = LoadRequest(wide_pair, ctx=8192, threads=1, rpc=(server.address,))
    with closing(WorkerBackend(request)) as backend:
        assert isinstance(list(backend.load())[-1], Ready)
        sampling = SamplingParams(temperature=1.0, max_tokens=4000)
        events = backend.chat(HI, ReplyRequest(sampling, "off"))
        next(events)
        server.kill()
        *_, end = events
        assert isinstance(end, Failed)
        assert end.fatal
        assert "engine's process ended" in end.message
