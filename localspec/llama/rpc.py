"""Devices of other machines, by llama.cpp's RPC backend.

llama.cpp ends the process when a server can't be reached, speaks another version or goes away, and
waits forever for one that serves somebody else. So each is greeted from here first.
"""

from __future__ import annotations

import ctypes
import socket
import sys
from collections.abc import Sequence

import llama_cpp

from localspec.errors import NativeFailure, UsageError
from localspec.llama.devices import start_backend
from localspec.llama.ggml import ggml

TIMEOUT_S = 4.0
MAX_SERVERS = 16
_VERSION = (7, 0)
"""RPC_PROTO_MAJOR_VERSION and the latest minor one of the supported llama.cpp."""
_HELLO = b"\x0e" + (24).to_bytes(8, "little") + bytes(24)
"""RPC_CMD_HELLO, the size of what follows, and no transport beside TCP."""
_ANSWER_BYTES = 8 + 28

_added: set[str] = set()


def build_command() -> str:
    """What makes a llama.cpp with the RPC backend."""
    pip = f"{sys.executable} -m pip install --force-reinstall --no-cache-dir --no-deps"
    requirement = '"llama-cpp-python>=0.3.36,<0.3.37"'
    if sys.platform == "win32":
        return f'set "CMAKE_ARGS=-DGGML_RPC=ON" && {pip} {requirement}'
    return f'CMAKE_ARGS="-DGGML_RPC=ON" {pip} {requirement}'


def supported() -> bool:
    """Whether the build has the RPC backend."""
    start_backend()
    return bool(llama_cpp.llama_supports_rpc())


def connect(servers: Sequence[str]) -> None:
    """Add the devices of servers, each host:port; those that were added before are only greeted.

    Nothing of this process may be on one of them: a server talks to one client at a time. Raises
    UsageError, and NativeFailure for a server that doesn't answer as one.
    """
    if not servers:
        return
    if not supported():
        hint = f"This gets one: {build_command()}"
        raise UsageError("--rpc needs a llama.cpp with the RPC backend; this one has none.", hint)
    if len(servers) > MAX_SERVERS:
        raise UsageError(f"At most {MAX_SERVERS} RPC servers can be used.")
    places: dict[tuple[str, int], str] = {}
    for server in servers:
        place = _place(server)
        if place in places:
            raise UsageError(f"{places[place]} and {server} are the same RPC server.")
        places[place] = server
    for place, server in places.items():
        _greet(place, server)
    for server in places.values():
        _add(server)


def _place(server: str) -> tuple[str, int]:
    """The address and port that llama.cpp will find. Raises UsageError, NativeFailure."""
    host, _, port = server.rpartition(":")
    is_number = port.isascii() and port.isdecimal() and len(port) < 6
    if not host or ":" in host or not host.isprintable() or not is_number:
        raise UsageError(f"{server!r} is no RPC server.", "Write it as host:port, 10.0.0.2:50052.")
    number = int(port)
    if not 0 < number < 65536:
        raise UsageError(f"{server!r} has no port between 1 and 65535.")
    try:
        return socket.gethostbyname(host), number
    except (OSError, UnicodeError):
        raise NativeFailure(f"The RPC server {server} has no address: {host!r} is not known.")


def _greet(place: tuple[str, int], server: str) -> None:
    """The first words of llama.cpp's protocol. Raises NativeFailure."""
    try:
        with socket.create_connection(place, TIMEOUT_S) as connection:
            connection.sendall(_HELLO)
            answer = _read(connection)
    except TimeoutError:
        hint = "It may serve another program: a server talks to one at a time."
        raise NativeFailure(f"The RPC server {server} does not answer.", hint)
    except OSError as error:
        hint = "Start it there (rpc-server of the same llama.cpp), or leave --rpc out."
        reason = error.strerror or str(error)
        raise NativeFailure(f"The RPC server {server} can't be reached: {reason}.", hint)
    if len(answer) < _ANSWER_BYTES or int.from_bytes(answer[:8], "little") != _ANSWER_BYTES - 8:
        raise NativeFailure(f"{server} is not an RPC server of llama.cpp.")
    major, minor = answer[8], answer[9]
    if major != _VERSION[0] or minor > _VERSION[1]:
        ours = ".".join(map(str, _VERSION))
        raise NativeFailure(
            f"The RPC server {server} speaks version {major}.{minor}, this llama.cpp {ours}.",
            "Run the same llama.cpp on both machines.",
        )


def _read(connection: socket.socket) -> bytes:
    answer = b""
    while len(answer) < _ANSWER_BYTES and (part := connection.recv(_ANSWER_BYTES - len(answer))):
        answer += part
    return answer


def _add(server: str) -> None:
    if server in _added:
        return
    pointer = ctypes.c_void_p
    by_name = ggml("ggml_backend_reg_by_name", pointer, ctypes.c_char_p)
    find = ggml("ggml_backend_reg_get_proc_address", pointer, pointer, ctypes.c_char_p)
    address = find(by_name(b"RPC"), b"ggml_backend_rpc_add_server")
    if not address:
        raise NativeFailure("This llama.cpp can't add RPC servers.")
    registry = ctypes.CFUNCTYPE(pointer, ctypes.c_char_p)(address)(server.encode())
    if not registry:
        raise NativeFailure(f"The RPC server {server} has no device.")
    ggml("ggml_backend_register", None, pointer)(registry)
    _added.add(server)
