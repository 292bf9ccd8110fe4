"""Reads the head of a GGUF file: its facts, its tokens, and whether its tensors are all there.

The `gguf` package takes seconds for a large vocabulary and trusts every count; this takes a tenth
of a second, and allocates nothing that the file can't hold (gguf_cursor.py has the bounds).
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

from localspec.errors import BrokenModelFile
from localspec.models.gguf_cursor import Cursor, Malformed, StringArray, Truncated
from localspec.models.gguf_types import tensor_bytes
from localspec.models.gguf_values import Value, read_value

_MAX_ENTRIES = 2**14
_MAX_TENSORS = 2**16
_ALIGNMENTS = frozenset(2**power for power in range(5, 25))
"""ggml asserts that weights lie at multiples of 32 bytes, which ends the process."""
_MAX_DIMENSIONS = 4
_MAX_SIZE = 2**63 - 1
"""llama.cpp and every file system count in signed 64 bits."""
_AGAIN = "Pull or copy it again."


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor as the header announces it."""

    elements: int
    bytes: int
    kind: int = 0
    """ggml's number of its type."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says about itself, unchecked against what a model needs."""

    path: Path
    values: Mapping[str, Value]
    tensors: Mapping[str, Tensor]
    """By name."""
    data_end: int
    """The file's size if every tensor is there."""
    file_bytes: int

    @property
    def num_parameters(self) -> int:
        """The elements of all tensors."""
        return sum(tensor.elements for tensor in self.tensors.values())

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key)
        return value if isinstance(value, str) else default

    def integer(self, key: str) -> int | None:
        value = self.values.get(key)
        # A per-layer list stands for its largest entry: memory is reckoned from it.
        numbers = value if isinstance(value, tuple) else (value,)
        whole = [number for number in numbers if isinstance(number, int)]
        # llama.cpp refuses a float in such a key, and NaN has no largest.
        return int(max(whole)) if whole and len(whole) == len(numbers) else None

    def flag(self, key: str) -> bool | None:
        value = self.values.get(key)
        return bool(value) if isinstance(value, int) else None

    def strings(self, key: str) -> StringArray | None:
        value = self.values.get(key)
        return value if isinstance(value, StringArray) else None


def read_header(path: Path) -> GgufHeader:
    """Raises BrokenModelFile with the sentence that fits: missing, empty, not GGUF, truncated."""
    try:
        # Opening a pipe would wait for a writer that may never come.
        if not stat.S_ISREG(path.stat().st_mode):
            raise BrokenModelFile(_irregular(path))
        with path.open("rb") as file:
            return parse_header(path, file, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise BrokenModelFile(_unopened(path, error)) from None


def parse_header(path: Path, file: BinaryIO, size: int) -> GgufHeader:
    """The header of a file of `size` bytes that is read from its start; `path` is what refusals
    call it. Raises BrokenModelFile, and what `file.read` raises."""
    if size == 0:
        raise BrokenModelFile(f"{path} is empty.", _AGAIN)
    try:
        return _parse(path, Cursor(file, size), size)
    except Truncated:
        raise BrokenModelFile(f"{path} is truncated: it ends inside its header.", _AGAIN) from None
    except Malformed as error:
        raise BrokenModelFile(f"{path} has a damaged header: {error}.", _AGAIN) from None


def _irregular(path: Path) -> str:
    kind = "directory" if path.is_dir() else "pipe, socket or device"
    return f"{path} is a {kind}, not a GGUF file."


def _unopened(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist."
    return f"{path} can't be read: {error.strerror or error}."


def _parse(path: Path, cursor: Cursor, size: int) -> GgufHeader:
    _check_format(path, cursor, size)
    num_tensors, num_entries = cursor.integer("Q"), cursor.integer("Q")
    if num_tensors > _MAX_TENSORS or num_entries > _MAX_ENTRIES:
        raise Malformed(f"{num_tensors} tensors and {num_entries} entries")
    values: dict[str, Value] = {}
    for _ in range(num_entries):
        key = cursor.string()
        if key in values:
            raise Malformed("a key that comes twice")
        values[key] = read_value(cursor)
    tensors: dict[str, Tensor] = {}
    last_byte = 0
    for _ in range(num_tensors):
        name = cursor.string()
        if name in tensors:
            raise Malformed("a tensor that comes twice")
        tensors[name], end = _tensor(cursor)
        last_byte = max(last_byte, end)
    alignment = _alignment(values)
    data_start = -(-cursor.position // alignment) * alignment
    data_end = data_start + last_byte if tensors else cursor.position
    return GgufHeader(path, values, tensors, data_end, size)


def _alignment(values: Mapping[str, Value]) -> int:
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment not in _ALIGNMENTS:
        told = alignment if isinstance(alignment, int | float) else "another kind of value"
        raise Malformed(f"an alignment of {told}")
    return alignment


def _check_format(path: Path, cursor: Cursor, size: int) -> None:
    if size < 4 or cursor.integer("I") != int.from_bytes(b"GGUF", "little"):
        raise BrokenModelFile(f"{path} is not a GGUF file.", "localspec runs GGUF models only.")
    version = cursor.integer("I")
    if version & 0xFFFF == 0 and version:
        raise BrokenModelFile(f"{path} is a big-endian GGUF file.", "Get the little-endian one.")
    if version not in (2, 3):
        raise BrokenModelFile(f"{path} is GGUF version {version}; 2 and 3 can be read.")


def _tensor(cursor: Cursor) -> tuple[Tensor, int]:
    """A tensor, and where it ends in the data."""
    dimensions = cursor.integer("I")
    if dimensions > _MAX_DIMENSIONS:
        raise Malformed(f"a tensor of {dimensions} dimensions")
    elements = prod(int(size) for size in cursor.numbers("Q", dimensions))
    kind, offset = cursor.integer("I"), cursor.integer("Q")
    if elements > _MAX_SIZE or offset > _MAX_SIZE:
        raise Malformed(f"a tensor of {elements} elements at {offset}")
    tensor = Tensor(elements, tensor_bytes(kind, elements), kind)
    return tensor, offset + tensor.bytes
