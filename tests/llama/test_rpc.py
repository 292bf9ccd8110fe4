"""RPC servers are greeted before llama.cpp is: it ends the process where one doesn't answer."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from localspec.errors import LocalspecError, NativeFailure, UsageError
from localspec.llama import rpc

HELLO_BACK = (28).to_bytes(8, "little") + bytes([7, 0, 0, 0]) + bytes(24)


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server on loopback that says one thing to whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join(5)


@pytest.fixture(autouse=True)
def rpc_build(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A build that has the backend; what was added to it."""
    added: list[str] = []
    monkeypatch.setattr(rpc, "supported", lambda: True)
    monkeypatch.setattr(rpc, "_add", added.append)
    monkeypatch.setattr(rpc, "TIMEOUT_S", 0.3)
    return added


def test_a_server_that_answers_is_added(rpc_build: list[str]) -> None:
    heard: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        heard.append(connection.recv(64))
        connection.sendall(HELLO_BACK[:5])
        connection.sendall(HELLO_BACK[5:])

    with answering(answer) as server:
        rpc.connect([server])
    assert rpc_build == [server]
    assert heard == [b"\x0e" + (24).to_bytes(8, "little") + bytes(24)]


def silent(connection: socket.socket) -> None:
    connection.recv(64)
    connection.recv(64)


def web(connection: socket.socket) -> None:
    connection.recv(64)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def newer(connection: socket.socket) -> None:
    connection.recv(64)
    connection.sendall(HELLO_BACK[:8] + bytes([8, 1, 0, 0]) + bytes(24))


def gone(connection: socket.socket) -> None:
    connection.recv(8)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (silent, "does not answer"),
        (web, "is not an RPC server of llama.cpp"),
        (newer, "speaks version 8.1, this llama.cpp 7.0"),
        (gone, "can't be reached|is not an RPC server"),
    ],
)
def test_a_server_that_is_none_is_a_sentence(
    answer: Callable[[socket.socket], None], sentence: str, rpc_build: list[str]
) -> None:
    """llama.cpp ended the process, or waited forever for a server that serves another client."""
    with answering(answer) as server, pytest.raises(NativeFailure, match=sentence):
        rpc.connect([server])
    assert rpc_build == []


def test_a_server_that_is_not_there_is_a_sentence(rpc_build: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NativeFailure, match=rf"127\.0\.0\.1:{port} can't be reached: ") as caught:
        rpc.connect([f"127.0.0.1:{port}"])
    assert "leave --rpc out" in caught.value.hint
    assert rpc_build == []


@pytest.mark.parametrize(
    "server",
    ["", "here", "here:", ":50052", "::1:50052", "here:0", "here:65536", "here:1e3", "here:²",
     "a\0b:1", "no such host.invalid:50052", "x" * 300 + ":1", "é" * 70 + ".de:1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(server: str, rpc_build: list[str]) -> None:
    with pytest.raises(LocalspecError):
        rpc.connect([server])
    assert rpc_build == []


def test_a_server_is_named_once(rpc_build: list[str]) -> None:
    """A server talks to one client at a time, so a second name of it would wait for the first."""
    with pytest.raises(UsageError, match=r"localhost:9 and 127\.0\.0\.1:9 are the same"):
        rpc.connect(["localhost:9", "127.0.0.1:9"])
    assert rpc_build == []


def test_a_build_without_the_backend_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc, "supported", lambda: False)
    rpc.connect([])
    with pytest.raises(UsageError, match="has none") as caught:
        rpc.connect(["127.0.0.1:9"])
    assert "-DGGML_RPC=ON" in caught.value.hint
    assert "\n" not in str(caught.value)
