"""GGUF headers built to cost as much as a header may, streamed so that the test itself is small.

Run as a program it reads each under a limit of memory and prints its name; see test_gguf_bounds.py.
"""

import io
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy  # noqa: F401  What the parsing modules may import lies below the limit.

from localspec.errors import BrokenModelFile
from localspec.models.compat import broken_rule
from localspec.models.gguf_cursor import HEADER_LIMIT
from localspec.models.gguf_header import parse_header
from localspec.models.model_file import model_of

MIB = 2**20
LIMIT = 256 * 10**6
MANY = HEADER_LIMIT // MIB - 1
TEXT, LIST = 8, 9
U16, U8, F64 = 2, 0, 12


class Stream(io.RawIOBase):
    """Bytes as they are asked for; the file claims to be as large as a file can be."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self._rest = b""
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (part := next(self._parts, b"")):
            self._rest += part
        given, self._rest = self._rest[:size], self._rest[size:]
        self.given += len(given)
        return given


def text(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key.encode()) + struct.pack("<I", kind) + value


def listed(key: str, kind: int, count: int) -> bytes:
    """The head of a list; its values follow."""
    return entry(key, LIST, struct.pack("<IQ", kind, count))


def tensor(name: str, dimensions: Iterable[int], kind: int = 0, offset: int = 0) -> bytes:
    sizes = list(dimensions)
    packed = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text(name.encode()) + packed + struct.pack("<IQ", kind, offset)


def header(num_tensors: int, num_entries: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, num_tensors, num_entries)


MODEL = [
    entry("general.architecture", TEXT, text(b"llama")),
    entry("tokenizer.ggml.model", TEXT, text(b"gpt2")),
]


def many_empty_texts(count: int = 2 * MIB) -> Iterator[bytes]:
    yield header(1, 3) + b"".join(MODEL) + listed("tokenizer.ggml.tokens", TEXT, count)
    for _ in range(count // 1024):
        yield bytes(8 * 1024)
    yield tensor("t", [1])


def long_texts() -> Iterator[bytes]:
    yield header(1, 3) + b"".join(MODEL) + listed("tokenizer.ggml.tokens", TEXT, MANY)
    for number in range(MANY):
        yield text(bytes([0xFF]) * (MIB - 1) + bytes([number]))
    yield tensor("t", [1])


def wide_texts() -> Iterator[bytes]:
    """Each takes four bytes of memory a byte, by one letter beyond the others."""
    yield header(0, 90)
    for number in range(90):
        yield entry(f"t{number}", TEXT, text(b"\xf0\x9f\x98\x80" + b"a" * (MIB - 4)))


def short_numbers() -> Iterator[bytes]:
    """Two bytes each in the file, an object each in memory."""
    yield header(0, 12_000)
    for number in range(12_000):
        yield listed(f"n{number}", U16, 4096) + b"\xff\xee" * 4096


def large_keys() -> Iterator[bytes]:
    yield header(0, 16_384)
    for number in range(16_384):
        yield entry(f"{number:0>65535}", U8, b"\0")


def many_tensors() -> Iterator[bytes]:
    yield header(65_536, 0)
    for number in range(65_536):
        yield tensor(f"{number:0>64}", [2**31, 2**31, 1, 1], 999, 2**62)


def skipped_numbers() -> Iterator[bytes]:
    yield header(0, 1) + listed("n", U8, MANY * MIB)
    yield from (bytes(MIB) for _ in range(MANY))


def everything_at_once() -> Iterator[bytes]:
    """All that one header may make us keep, in one header of the largest size."""
    yield header(65_536, 16_384) + b"".join(MODEL)
    for number in range(3):
        yield entry(f"t{number}", TEXT, text(b"\xf0\x9f\x98\x80" + b"a" * (MIB - 4)))
    for number in range(64):
        yield listed(f"n{number}", F64, 4096) + struct.pack("<d", number + 0.5) * 4096
    yield listed("tokenizer.ggml.tokens", TEXT, 2 * MIB)
    yield from (bytes(MIB) for _ in range(16))
    yield listed("filler", U8, 32 * MIB)
    yield from (bytes(MIB) for _ in range(32))
    for number in range(16_384 - len(MODEL) - 3 - 64 - 2):
        yield entry(f"{number:x}", U8, b"\0")
    for number in range(65_536):
        yield tensor(f"{number:0>50}", [2**31, 2**31, 1, 1], 999, 2**62)


def endless() -> Iterator[bytes]:
    yield header(0, 2**14)
    number = 0
    while True:
        number += 1
        yield entry(f"{number}", TEXT, text(bytes(MIB + 1)))


CASES: dict[str, Callable[[], Iterator[bytes]]] = {
    case.__name__: case
    for case in (
        many_empty_texts,
        long_texts,
        wide_texts,
        short_numbers,
        large_keys,
        many_tensors,
        skipped_numbers,
        everything_at_once,
        endless,
    )
}


def read(case: str) -> str:
    """What becomes of it: the refusal, or `read`."""
    stream = Stream(CASES[case]())
    try:
        found = parse_header(Path(f"{case}.gguf"), stream, 2**63 - 1)  # type: ignore[arg-type]
        facts = model_of([found])
    except BrokenModelFile as error:
        return error.message
    broken_rule(facts.vocabulary, facts.vocabulary)
    return "read"


def _limit_memory() -> None:
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + LIMIT
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    _limit_memory()
    for name in sys.argv[1:] or CASES:
        print(f"{name}: {read(name)}", flush=True)
