"""The vocabulary as a forest: below a piece of text lie the pieces that begin with it.

What a grammar refuses, it refuses with anything behind it, so most of a vocabulary need not be
asked about. Characters that a grammar never tells apart are asked about once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from localspec.engine.distribution import Ids, Mask

_NEVER = bytes([0xC0, 0xC1, *range(0xF5, 0x100)])
Ask = Callable[[Ids], Mask]


class Pieces:
    """The bytes of every id; an id without any is never text."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        # llama.cpp reads a piece up to a NUL, and takes none that begins with one. It would take
        # bytes that UTF-8 has no use for.
        self.visible: Mask = np.array(
            [
                piece[:1] not in (b"", b"\0") and len(piece.translate(None, _NEVER)) == len(piece)
                for piece in pieces
            ]
        )
        whole: dict[bytes, int] = {}
        for token, piece in enumerate(pieces):
            if self.visible[token] and _is_text(piece):
                whole[piece] = token
        parent = np.full(len(pieces), -1, np.int64)
        for token, piece in enumerate(pieces):
            parent[token] = _parent(piece, whole)
        first = np.array([_first_character(piece) for piece in pieces])
        alone = np.array([len(piece) == _width(piece) for piece in pieces])
        root = self.visible & (parent < 0)
        self.single = np.flatnonzero(root & (first >= 0) & alone)
        """Tokens of one character each."""
        self.other = np.flatnonzero(root & (first >= 0) & ~alone)
        """Longer ones whose beginnings are no tokens."""
        self.broken = np.flatnonzero(root & (first < 0))
        """Those that begin inside a character, or with a part of one."""
        self.first: npt.NDArray[np.int64] = first
        below = np.flatnonzero(parent >= 0)
        self._below = below[np.argsort(parent[below], kind="stable")]
        counts = np.bincount(parent[below], minlength=len(pieces))
        self._end = np.cumsum(counts)
        self._start = self._end - counts

    def below(self, ids: Ids) -> Ids:
        """The pieces right below any of `ids`."""
        counts = self._end[ids] - self._start[ids]
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        found: Ids = self._below[np.repeat(self._start[ids], counts) + offsets]
        return found


class Search:
    """All ids that a grammar allows, found by asking about one for each kind of character."""

    def __init__(self, pieces: Pieces, bounds: Sequence[int]) -> None:
        """`bounds`: code points between which characters are the same to the grammar."""
        self._pieces = pieces
        edges = np.array(bounds, np.int64)
        self._single_kind = np.searchsorted(edges, pieces.first[pieces.single], side="right")
        self._other_kind = np.searchsorted(edges, pieces.first[pieces.other], side="right")
        self._num_kinds = len(edges) + 1
        self._num_roots = len(pieces.single) + len(pieces.other) + len(pieces.broken)
        kinds, index = np.unique(self._single_kind, return_index=True)
        self._kinds, self._samples = kinds, pieces.single[index]
        # From the kind of the first character that has several bytes.
        self._wide = int(np.searchsorted(edges, 0x80, side="right"))

    def run(self, ask: Ask, inside: bool) -> Ids:
        """Ascending ids of text; `inside`: the text so far ends inside a character."""
        pieces = self._pieces
        # A kind without a token of one character is not known: its ids are asked about.
        kind = np.ones(self._num_kinds, np.bool_)
        kind[self._kinds] = ask(self._samples)
        found = [pieces.single[kind[self._single_kind]]]
        others = pieces.other[kind[self._other_kind]]
        found.append(others[ask(others)])
        if inside or kind[self._wide :].any():
            found.append(pieces.broken[ask(pieces.broken)])
        level = np.concatenate(found)
        if 2 * len(level) > self._num_roots:
            # Most may follow: level by level is slower than all at once.
            text = np.flatnonzero(pieces.visible)
            return text[ask(text)]
        found = [level]
        while len(level):
            level = pieces.below(level)
            level = level[ask(level)]
            found.append(level)
        return np.sort(np.concatenate(found))


def unfinished(data: bytes) -> bytes:
    """The part of a character that a text ends with; empty if it ends with a whole one."""
    for back in range(1, min(3, len(data)) + 1):
        lead = data[-back:]
        if lead[0] & 0xC0 != 0x80:
            return lead if _width(lead) > back else b""
    return b""


def _width(piece: bytes) -> int:
    """Bytes of the character that a piece begins with."""
    lead = piece[0] if piece else 0
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _first_character(piece: bytes) -> int:
    """Its code point; -1 when the piece begins with a part of one."""
    try:
        return ord(piece[: _width(piece)].decode()) if piece else -1
    except UnicodeDecodeError:
        return -1


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parent(piece: bytes, whole: dict[bytes, int]) -> int:
    """The token of the longest whole text that the piece goes on from; -1 if there is none."""
    for end in range(len(piece) - 1, 0, -1):
        if (token := whole.get(piece[:end])) is not None:
            return token
    return -1
