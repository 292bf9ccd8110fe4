"""llama.cpp's grammar sampler: the engine's Grammar.

It ends the process when it must accept a token that it refuses, so every token is asked about
before.
"""

from __future__ import annotations

import contextlib
import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np

from localspec.engine.distribution import Ids, Mask
from localspec.errors import UsageError
from localspec.llama import log
from localspec.llama.gbnf import Gbnf
from localspec.llama.pieces import Pieces, Search, unfinished
from localspec.llama.stderr import stderr_to

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""`llama_token_data`."""


class LlamaGrammar:
    """A grammar over a vocabulary. Close it before the model."""

    def __init__(
        self, vocab: Any, pieces: Sequence[bytes], known: Pieces, ends: frozenset[int], source: str
    ) -> None:
        """Raises UsageError on a grammar that llama.cpp can't take."""
        self.end_tokens = ends
        self._known = known
        self._ends = np.array(sorted(ends), np.int64)
        self._search = Search(known, Gbnf(source).bounds)
        # Control tokens show no text, and llama.cpp would match their names.
        self._text: Mask = known.visible.copy()
        self._text[self._ends] = True
        self._committed = _State(_parse(vocab, source), pieces)
        self._scout: _State | None = None
        """The state behind `_ahead`, cloned from the committed one."""
        self._ahead: tuple[int, ...] = ()

    def allowed(self, ids: Ids, ahead: Sequence[int]) -> Mask:
        return self._behind(ahead).allows(ids) & self._text[ids]

    def all_allowed(self, ahead: Sequence[int]) -> Ids:
        state = self._behind(ahead)
        ends = self._ends[state.allows(self._ends)]
        text = self._search.run(lambda ids: state.allows(ids) & self._text[ids], state.inside)
        return np.union1d(text, ends)

    def commit(self, tokens: Sequence[int]) -> None:
        # What was accepted ahead is committed now: its state is there already.
        state, rest = self._committed, tuple(tokens)
        if self._scout is not None and rest[: len(self._ahead)] == self._ahead:
            state, rest = self._scout, rest[len(self._ahead) :]
            self._committed.close()
            self._committed, self._scout, self._ahead = state, None, ()
        for token in rest:
            state.accept(token)
        self._forget()

    def _behind(self, ahead: Sequence[int]) -> _State:
        if len(ahead) == 0:
            return self._committed
        wanted = tuple(ahead)
        if wanted[: len(self._ahead)] != self._ahead:
            self._forget()
        if self._scout is None:
            self._scout = self._committed.clone()
        for token in wanted[len(self._ahead) :]:
            self._scout.accept(token)
        self._ahead = wanted
        return self._scout

    def _forget(self) -> None:
        if self._scout is not None:
            self._scout.close()
        self._scout, self._ahead = None, ()

    def close(self) -> None:
        self._forget()
        self._committed.close()


class _State:
    """One llama.cpp sampler: what the grammar has read."""

    def __init__(self, handle: Any, pieces: Sequence[bytes]) -> None:
        self._handle = handle
        self._pieces = pieces
        self._tail = b""
        self._dead = False
        """Behind a token that was not allowed: nothing may follow."""

    @property
    def inside(self) -> bool:
        """Whether the text so far ends inside a character."""
        return self._tail != b""

    def allows(self, ids: Ids) -> Mask:
        if self._dead or self._handle is None or len(ids) == 0:
            return np.zeros(len(ids), np.bool_)
        rows = np.zeros(len(ids), _CANDIDATE)
        rows["id"] = ids
        data = ctypes.cast(rows.ctypes.data, llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(data, len(ids), -1, False)
        llama_cpp.llama_sampler_apply(self._handle, ctypes.byref(array))
        mask: Mask = rows["logit"] == 0.0
        return mask

    def accept(self, token: int) -> None:
        if not (0 <= token < len(self._pieces)) or not self.allows(np.array([token]))[0]:
            self._dead = True
            return
        llama_cpp.llama_sampler_accept(self._handle, token)
        self._tail = unfinished(self._tail + self._pieces[token])

    def clone(self) -> _State:
        copy = _State(llama_cpp.llama_sampler_clone(self._handle), self._pieces)
        copy._tail, copy._dead = self._tail, self._dead
        return copy

    def close(self) -> None:
        if self._handle is not None:
            llama_cpp.llama_sampler_free(self._handle)
            self._handle = None


def _parse(vocab: Any, source: str) -> Any:
    """The sampler; llama.cpp prints what is wrong with a grammar on stderr."""
    log.first_error()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "stderr"
        with stderr_to(said):
            handle = llama_cpp.llama_sampler_init_grammar(vocab, source.encode(), b"root")
        lines = said.read_text("utf-8", "replace") if said.exists() else ""
    if not handle:
        reason = lines.partition("error parsing grammar: ")[2].partition("\n")[0]
        with contextlib.suppress(IndexError):
            reason = reason or log.first_error().splitlines()[0]
        raise UsageError(f"llama.cpp can't take the grammar: {reason or 'it gave no reason'}.")
    return handle
