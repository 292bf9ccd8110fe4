"""Reads little-endian GGUF primitives. The file's size bounds every length it announces, and what
one header may make us keep is bounded too: under 256 MB, whatever it says.

The largest part is the header's own bytes (HEADER_LIMIT, an eighth more while they grow, and as
much again where they come from the hub). Lists of texts point into them at 4 bytes a text; decoded
text takes up to 4 bytes a byte, a number 36.
"""

import struct
from array import array
from typing import BinaryIO, Literal

HEADER_LIMIT = 64 * 2**20
"""No real header comes near this; the largest vocabularies take 16 MiB."""
MAX_TEXT = 2**20
"""Bytes of one text; longer ones (a whole tokenizer.json) have no reader here."""
_STEP = 2**20
_LENGTH = struct.Struct("<Q")
_COMPARED = 4096

Kept = Literal["texts in lists", "bytes of text", "numbers in lists"]
_MOST: dict[Kept, int] = {
    "texts in lists": 2 * 2**20,
    "bytes of text": 8 * 2**20,
    "numbers in lists": 2**18,
}


class Truncated(Exception):
    """The file ends before what it announces."""


class Malformed(Exception):
    """The file announces something that no GGUF file holds."""


class StringArray:
    """The strings of one list, cut from the header's bytes and decoded when asked for."""

    def __init__(self, header: bytearray, start: int, ends: "array[int]") -> None:
        self._header = header
        self._start = start
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    def raw(self, index: int) -> bytes:
        return bytes(self._header[self._begin(index) + _LENGTH.size : self._ends[index]])

    def text(self, index: int) -> str:
        return self.raw(index).decode("utf-8", "replace")

    def first_difference(self, other: "StringArray", start: int) -> int | None:
        """The first index from `start` up, inside both, whose strings differ."""
        common = min(len(self), len(other))
        for first in range(start, common, _COMPARED):
            last = min(first + _COMPARED, common)
            # Lengths lie between the strings, so equal spans are equal strings.
            if self._span(first, last) != other._span(first, last):
                return next(i for i in range(first, last) if self.raw(i) != other.raw(i))
        return None

    def _begin(self, index: int) -> int:
        return self._ends[index - 1] if index else self._start

    def _span(self, first: int, last: int) -> memoryview:
        return memoryview(self._header)[self._begin(first) : self._ends[last - 1]]


class Cursor:
    """A position in the file's head. Every read raises Truncated or Malformed, never more."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._data = bytearray()
        self._left = dict(_MOST)
        self.position = 0

    def numbers(self, code: str, count: int) -> tuple[int | float | bool, ...]:
        """`count` values in `struct`'s letter."""
        size = count * struct.calcsize("<" + code)
        self._take_room(size)
        values = struct.unpack_from(f"<{count}{code}", self._data, self.position)
        self.position += size
        return values

    def number(self, code: str) -> int | float | bool:
        return self.numbers(code, 1)[0]

    def integer(self, code: str) -> int:
        return int(self.number(code))

    def string(self) -> str:
        """A text; an empty one stands for one that is longer than any reader needs."""
        length = self.integer("Q")
        if length > MAX_TEXT:
            self.skip(length)
            return ""
        self.spend("bytes of text", length)
        self._take_room(length)
        end = self.position + length
        text = self._data[self.position : end].decode("utf-8", "replace")
        self.position = end
        return text

    def strings(self, count: int) -> StringArray:
        self.spend("texts in lists", count)
        self._take_room(count * _LENGTH.size)
        data, start, position = self._data, self.position, self.position
        ends = array("I")
        for _ in range(count):
            if position + _LENGTH.size > len(data):
                self._load(position + _LENGTH.size)
            length = _LENGTH.unpack_from(data, position)[0]
            if length > MAX_TEXT:
                raise Malformed(f"a text of {length} bytes in a list")
            position += _LENGTH.size + length
            if position > len(data):
                self._load(position)
            ends.append(position)
        self.position = position
        return StringArray(data, start, ends)

    def skip(self, count: int) -> None:
        self._take_room(count)
        self.position += count

    def spend(self, what: Kept, amount: int) -> None:
        """Take from what one header may make us keep."""
        if amount > self._left[what]:
            raise Malformed(f"more than {_MOST[what]} {what}")
        self._left[what] -= amount

    def _take_room(self, count: int) -> None:
        """Make the next `count` bytes available."""
        if self.position + count > len(self._data):
            self._load(self.position + count)

    def _load(self, end: int) -> None:
        if end > self._size:
            raise Truncated
        if end > HEADER_LIMIT:
            raise Malformed(f"a header of more than {HEADER_LIMIT >> 20} MiB")
        while len(self._data) < end:
            chunk = self._file.read(_STEP)
            if not chunk:
                raise Truncated
            self._data += chunk
