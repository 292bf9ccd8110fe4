"""States of a sequence that were copied out of a context, to go back to."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

PARTIAL = llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY
"""Only what can't be cut. A plain attention cache ignores it and writes all: never save one."""

_BYTES = ctypes.POINTER(ctypes.c_uint8)


def state_bytes(context: Any) -> int:
    """Size of the sequence's present state in bytes; 0 if it can't be saved."""
    return int(llama_cpp.llama_state_seq_get_size_ext(context, 0, PARTIAL))


@dataclass(slots=True)
class _Place:
    length: int
    """Tokens that the state knows."""
    size: int
    buffer: npt.NDArray[np.uint8]


class Checkpoints:
    """The latest mark, and up to `num_kept` places that stay for later turns.

    Buffers are allocated once, when first needed, and reused. Lengths must only be asked for while
    the tokens before them are those of the save: `drop_beyond` says where they change.
    """

    def __init__(self, context: Any, state_bytes: int, num_kept: int) -> None:
        self._context = context
        self._state_bytes = state_bytes
        self._num_kept = num_kept
        self._kept: list[_Place] = []
        """Ascending by length."""
        self._mark: _Place | None = None
        self._free: list[npt.NDArray[np.uint8]] = []

    @property
    def lengths(self) -> list[int]:
        """Lengths in tokens that can be gone back to, ascending."""
        return sorted({place.length for place in self._places()})

    def mark(self, length: int) -> None:
        """Save the present state, of `length` tokens, in place of the mark before."""
        if self._at(length) is not None:
            return
        if self._mark is not None:
            self._free.append(self._mark.buffer)
        self._mark = self._saved(length)

    def keep(self, length: int) -> None:
        """Save the present state for later turns; a mark of the same length becomes that."""
        if any(place.length == length for place in self._kept):
            return
        if self._mark is not None and self._mark.length == length:
            place, self._mark = self._mark, None
        elif (saved := self._saved(length)) is not None:
            place = saved
        else:
            return
        self._kept.append(place)
        self._kept.sort(key=lambda kept: kept.length)
        if len(self._kept) > self._num_kept:
            self._free.append(self._kept.pop(self._cheapest()).buffer)

    def _cheapest(self) -> int:
        """Index of the kept place whose loss costs the fewest tokens to read again; not the last:
        the next regenerate wants it."""
        ends = [0, *(place.length for place in self._kept)]
        gaps = [end - start for start, end in pairwise(ends[:-1])]
        return gaps.index(min(gaps))

    def latest(self, length: int) -> int:
        """The longest length that can be gone back to and is at most `length`; 0 if none."""
        return max((place.length for place in self._places() if place.length <= length), default=0)

    def restore(self, length: int) -> bool:
        """Put the state saved at `length` back; False leaves the sequence's state undefined."""
        place = self._at(length)
        if place is None:
            return False
        read = llama_cpp.llama_state_seq_set_data_ext(
            self._context, _pointer(place.buffer), place.size, 0, PARTIAL
        )
        return int(read) == place.size

    def drop_beyond(self, length: int) -> None:
        """Forget the places of more than `length` tokens: what they read is no longer true."""
        if self._mark is not None and self._mark.length > length:
            self._free.append(self._mark.buffer)
            self._mark = None
        while self._kept and self._kept[-1].length > length:
            self._free.append(self._kept.pop().buffer)

    def _places(self) -> list[_Place]:
        return self._kept if self._mark is None else [*self._kept, self._mark]

    def _at(self, length: int) -> _Place | None:
        return next((place for place in self._places() if place.length == length), None)

    def _saved(self, length: int) -> _Place | None:
        buffer = self._free.pop() if self._free else np.empty(self._state_bytes, np.uint8)
        # llama.cpp writes at most as much as it is given, and returns 0 if that is too little.
        size = int(
            llama_cpp.llama_state_seq_get_data_ext(
                self._context, _pointer(buffer), len(buffer), 0, PARTIAL
            )
        )
        if size == 0:
            self._free.append(buffer)
            return None
        return _Place(length, size, buffer)


def _pointer(buffer: npt.NDArray[np.uint8]) -> Any:
    return ctypes.cast(buffer.ctypes.data, _BYTES)
