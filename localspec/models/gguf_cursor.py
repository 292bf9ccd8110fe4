"""Reads little-endian GGUF primitives; the file's size bounds every length it announces."""

import struct
from array import array
from typing import BinaryIO

HEADER_LIMIT = 128 * 2**20
"""No real header comes near this; the largest vocabularies take 16 MiB."""
MAX_STRINGS = 4 * 2**20
_STEP = 2**20
_LENGTH = struct.Struct("<Q")


class Truncated(Exception):
    """The file ends before what it announces."""


class Malformed(Exception):
    """The file announces something that no GGUF file holds."""


class StringArray:
    """The strings of one array, decoded when asked for: 150,000 tokens cost one copy of bytes."""

    def __init__(self, region: bytes, ends: "array[int]") -> None:
        self._region = region
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    def raw(self, index: int) -> bytes:
        start = self._ends[index - 1] if index else 0
        return self._region[start + _LENGTH.size : self._ends[index]]

    def text(self, index: int) -> str:
        return self.raw(index).decode("utf-8", "replace")

    def first_difference(self, other: "StringArray", start: int) -> int | None:
        """The first index from `start` up, inside both, whose strings differ."""
        common = min(len(self), len(other))
        if start >= common or self._span(start, common) == other._span(start, common):
            return None
        return next((i for i in range(start, common) if self.raw(i) != other.raw(i)), None)

    def _span(self, start: int, stop: int) -> bytes:
        # Lengths lie between the strings, so equal spans are equal strings.
        return self._region[self._ends[start - 1] if start else 0 : self._ends[stop - 1]]


class Cursor:
    """A position in the file's head. Every read raises Truncated or Malformed, never more."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._data = bytearray()
        self.position = 0

    def number(self, code: str) -> int | float | bool:
        """One value in `struct`'s letter."""
        layout = struct.Struct("<" + code)
        self.take_room(layout.size)
        (value,) = layout.unpack_from(self._data, self.position)
        self.position += layout.size
        assert isinstance(value, int | float)
        return value

    def integer(self, code: str) -> int:
        return int(self.number(code))

    def string(self, limit: int) -> str:
        length = self.integer("Q")
        if length > limit:
            raise Malformed(f"a text of {length} bytes")
        self.take_room(length)
        end = self.position + length
        text = self._data[self.position : end].decode("utf-8", "replace")
        self.position = end
        return text

    def strings(self, count: int) -> StringArray:
        if count > MAX_STRINGS:
            raise Malformed(f"a list of {count} texts")
        self.take_room(count * _LENGTH.size)
        data, start, position = self._data, self.position, self.position
        ends = array("Q")
        for _ in range(count):
            if position + _LENGTH.size > len(data):
                self._load(position + _LENGTH.size)
            position += _LENGTH.size + _LENGTH.unpack_from(data, position)[0]
            if position > len(data):
                self._load(position)
            ends.append(position - start)
        self.position = position
        return StringArray(bytes(data[start:position]), ends)

    def skip(self, count: int) -> None:
        self.take_room(count)
        self.position += count

    def take_room(self, count: int) -> None:
        """Make the next `count` bytes available."""
        if self.position + count > len(self._data):
            self._load(self.position + count)

    def _load(self, end: int) -> None:
        if end > self._size:
            raise Truncated
        if end > HEADER_LIMIT:
            raise Malformed(f"a header of more than {HEADER_LIMIT >> 20} MiB")
        while len(self._data) < end:
            chunk = self._file.read(max(_STEP, end - len(self._data)))
            if not chunk:
                raise Truncated
            self._data += chunk
