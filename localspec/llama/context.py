"""A context with its KV cache: the engine's Decoder over llama.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import llama_cpp
import numpy as np

from localspec.engine.arrays import Logits, Tokens
from localspec.errors import NativeFailure, OutOfMemory, UsageError
from localspec.llama import log
from localspec.llama.cache_types import CacheFormat
from localspec.llama.checkpoints import state_bytes
from localspec.llama.devices import physical_cores
from localspec.llama.memory import Memory
from localspec.llama.memory_traits import SNAPSHOT_BYTES, MemoryKind, look
from localspec.llama.model import LlamaModel
from localspec.llama.native_context import check_memory, make_context, parameters

CPU_CHUNK, GPU_CHUNK = 64, 512
"""Tokens between two looks at the stop flag: a second or so of work, large enough for matmuls."""
F16 = CacheFormat()
_ALLOCATION_FAILED = -2
"""llama_decode's code."""
_FLOATS = ctypes.POINTER(ctypes.c_float)


class LlamaDecoder:
    """One sequence in one context. Every argument is checked: llama.cpp aborts on bad ones."""

    def __init__(
        self,
        model: LlamaModel,
        n_ctx: int,
        max_logits: int,
        threads: int | None = None,
        cache: CacheFormat = F16,
    ) -> None:
        """Raises OutOfMemory, NativeFailure."""
        self.n_vocab = model.n_vocab
        self.max_logits = max_logits
        self.native_s = 0.0
        """Seconds so far in llama.cpp's passes and in waiting for their logits."""
        self._cache = cache
        check_memory(model, n_ctx, cache)
        chunk = GPU_CHUNK if model.on_gpu else CPU_CHUNK
        params = parameters(model, n_ctx, max_logits, chunk, threads or physical_cores(), cache)
        # Asking for one shows whether there are any: most architectures answer none.
        params.n_rs_seq = 1 if max_logits > 1 else 0
        self._batch = _Batch(chunk)
        self._context = make_context(model, params, cache)
        try:
            self._size_snapshots(model, params)
            window = int(llama_cpp.llama_model_n_swa(model.handle))
            self._memory = Memory(self._context, look(self._context, window, self._read_zeros))
        except BaseException:
            self.close()
            raise
        self.n_ctx = min(n_ctx, int(llama_cpp.llama_n_ctx(self._context)))
        self.max_batch = min(chunk, int(llama_cpp.llama_n_batch(self._context)))
        self._tokens = np.empty(self.n_ctx, np.int32)

    def _size_snapshots(self, model: LlamaModel, params: Any) -> None:
        """Give the context a snapshot for every token that may be rejected, as memory allows."""
        if not llama_cpp.llama_n_rs_seq(self._context):
            return
        self._read_zeros(0, 1)
        room = SNAPSHOT_BYTES // max(1, state_bytes(self._context))
        # A small context has smaller batches than were asked for.
        batch = int(llama_cpp.llama_n_ubatch(self._context))
        wanted = min(self.max_logits - 1, room, batch - 2)
        # With fewer than two, saved states are the better way.
        params.n_rs_seq = wanted if wanted > 1 else 0
        self.close()
        self._context = make_context(model, params, self._cache)
        if num_snapshots := int(llama_cpp.llama_n_rs_seq(self._context)):
            self.max_logits = min(self.max_logits, num_snapshots + 1)

    def _read_zeros(self, start: int, count: int) -> None:
        code = self._decode(np.zeros(count, np.int64), start, 0)
        if code != 0:
            raise _decode_failure(code)

    @property
    def tokens(self) -> Tokens:
        return self._tokens[: self._memory.length]

    @property
    def memory_kind(self) -> MemoryKind:
        """How `rollback` works: cut, snapshots, checkpoints, or none (only to empty)."""
        return self._memory.traits.kind

    @property
    def cannot_cut_reason(self) -> str:
        """Why `rollback` is not exact, as a part of a sentence; empty if it is."""
        return self._memory.traits.reason

    @property
    def memory_notice(self) -> str:
        """A sentence about the memory that rollbacks take; empty if they take none."""
        return self._memory.traits.notice

    @property
    def rollback_bytes(self) -> int:
        """Most memory in bytes that rollbacks take: windows kept whole, snapshots, saved states."""
        return self._memory.traits.extra_bytes

    def decode(self, tokens: Sequence[int] | Tokens, num_logits: int) -> Logits:
        ids = np.asarray(tokens, np.int64)
        count = len(ids)
        start = self._memory.length
        _check(1 <= count <= self.max_batch, f"a batch of {count} tokens")
        _check(0 <= num_logits <= min(count, self.max_logits), f"{num_logits} rows of logits")
        _check(start + count <= self.n_ctx, f"{start + count} tokens in {self.n_ctx}")
        _check(int(ids.min()) >= 0 and int(ids.max()) < self.n_vocab, "an id out of range")
        self._memory.prepare(num_logits)
        code = self._decode(ids, start, num_logits)
        if code != 0:
            self._memory.recover()
            raise _decode_failure(code)
        self._tokens[start : start + count] = ids
        self._memory.grow(count)
        return self._rows(num_logits)

    def _decode(self, ids: Any, start: int, num_logits: int) -> int:
        batch = self._batch.fill(ids, start, num_logits)
        return int(self._timed(llama_cpp.llama_decode, self._context, batch))

    def _rows(self, num_logits: int) -> Logits:
        if num_logits == 0:
            return np.empty((0, self.n_vocab), np.float32)
        rows = self._timed(llama_cpp.llama_get_logits, self._context)
        address = ctypes.cast(rows, ctypes.c_void_p).value
        if not address:
            raise NativeFailure("llama.cpp returned no logits.")
        shape = (num_logits, self.n_vocab)
        view: Logits = np.ctypeslib.as_array(ctypes.cast(address, _FLOATS), shape)
        return view

    def _timed(self, call: Any, *arguments: Any) -> Any:
        start = perf_counter()
        result = call(*arguments)
        self.native_s += perf_counter() - start
        return result

    def mark(self) -> None:
        """Say that `rollback` will want to return to the present length. Costs a copy of the
        state where `memory_kind` is checkpoints, else nothing."""
        self._memory.mark()

    def rollback(self, n_past: int) -> None:
        """Keep the longest prefix of at most `n_past` tokens that can be restored: `tokens` says
        which. Exact where `memory_kind` is cut."""
        _check(
            0 <= n_past <= self._memory.length, f"a rollback to {n_past} of {self._memory.length}"
        )
        self._memory.rollback(n_past)

    def clear(self) -> None:
        self._memory.clear()

    def close(self) -> None:
        if self._context is not None:
            llama_cpp.llama_free(self._context)
            self._context = None


class _Batch:
    """One `llama_batch` over numpy arrays, refilled for every call."""

    def __init__(self, size: int) -> None:
        self._token = np.zeros(size, np.int32)
        self._pos = np.zeros(size, np.int32)
        self._n_seq_id = np.ones(size, np.int32)
        self._logits = np.zeros(size, np.int8)
        self._seq = np.zeros(1, np.int32)
        sequence = self._seq.ctypes.data
        self._seq_id = np.full(size, sequence, np.uintp)
        self._struct = llama_cpp.llama_batch(
            0,
            _pointer(self._token, llama_cpp.llama_token),
            None,
            _pointer(self._pos, llama_cpp.llama_pos),
            _pointer(self._n_seq_id, ctypes.c_int32),
            ctypes.cast(
                self._seq_id.ctypes.data,
                ctypes.POINTER(ctypes.POINTER(llama_cpp.llama_seq_id)),
            ),
            _pointer(self._logits, ctypes.c_int8),
        )

    def fill(self, ids: Any, start: int, num_logits: int) -> Any:
        count = len(ids)
        self._token[:count] = ids
        self._pos[:count] = np.arange(start, start + count)
        self._logits[: count - num_logits] = 0
        self._logits[count - num_logits : count] = 1
        self._struct.n_tokens = count
        return self._struct


def _pointer(array: Any, kind: Any) -> Any:
    return ctypes.cast(array.ctypes.data, ctypes.POINTER(kind))


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise UsageError(f"llama.cpp can't take {what}.")


def _decode_failure(code: int) -> NativeFailure:
    reasons = {1: "no room in the KV cache", 2: "it was aborted", -1: "the batch is not valid"}
    reason = reasons.get(code, log.first_error() or "llama.cpp gave no reason")
    kind = OutOfMemory if code == _ALLOCATION_FAILED else NativeFailure
    return kind(f"Decoding failed (code {code}): {reason}.")
