"""A context with its KV cache: the engine's Decoder over llama.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import llama_cpp
import numpy as np
import psutil

from localspec import paths
from localspec.engine.interface import Logits, Tokens
from localspec.errors import NativeFailure, UsageError
from localspec.llama import log
from localspec.llama.devices import physical_cores
from localspec.llama.model import LlamaModel

CPU_CHUNK, GPU_CHUNK = 64, 512
"""Tokens between two looks at the stop flag: a second or so of work, large enough for matmuls."""
_Q8_BLOCK = 32
_FLOATS = ctypes.POINTER(ctypes.c_float)


class LlamaDecoder:
    """One sequence in one context. Every argument is checked: llama.cpp aborts on bad ones."""

    def __init__(
        self,
        model: LlamaModel,
        n_ctx: int,
        max_logits: int,
        threads: int | None = None,
        coarse_cache: bool = False,
    ) -> None:
        """`coarse_cache` keeps 8-bit keys and values where that is faster: for a draft, whose
        every guess is checked, never for a target."""
        self.n_vocab = model.n_vocab
        self.max_logits = max_logits
        self.native_s = 0.0
        """Seconds so far in llama.cpp's passes and in waiting for their logits."""
        _check_memory(model, n_ctx)
        chunk = GPU_CHUNK if model.on_gpu else CPU_CHUNK
        params = _parameters(n_ctx, max_logits, chunk, threads or physical_cores())
        if coarse_cache and not model.on_gpu and model.head_dim % _Q8_BLOCK == 0:
            params.type_k = params.type_v = llama_cpp.GGML_TYPE_Q8_0
        self._context = _make_context(model, params)
        self.n_ctx = min(n_ctx, int(llama_cpp.llama_n_ctx(self._context)))
        self.max_batch = min(chunk, int(llama_cpp.llama_n_batch(self._context)))
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._tokens = np.empty(self.n_ctx, np.int32)
        self._length = 0
        self._batch = _Batch(self.max_batch)

    @property
    def tokens(self) -> Tokens:
        return self._tokens[: self._length]

    def decode(self, tokens: Sequence[int] | Tokens, num_logits: int) -> Logits:
        ids = np.asarray(tokens, np.int64)
        count = len(ids)
        start = self._length
        _check(1 <= count <= self.max_batch, f"a batch of {count} tokens")
        _check(0 <= num_logits <= min(count, self.max_logits), f"{num_logits} rows of logits")
        _check(start + count <= self.n_ctx, f"{start + count} tokens in {self.n_ctx}")
        _check(int(ids.min()) >= 0 and int(ids.max()) < self.n_vocab, "an id out of range")
        batch = self._batch.fill(ids, start, num_logits)
        code = self._timed(llama_cpp.llama_decode, self._context, batch)
        if code != 0:
            self._resync()
            raise _decode_failure(code)
        self._tokens[start : start + count] = ids
        self._length += count
        return self._rows(num_logits)

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

    def _resync(self) -> None:
        """After a failed decode a part of the batch may stay: cut back to what is known."""
        self.rollback(self._length)

    def mark(self) -> None:
        return None

    def rollback(self, n_past: int) -> None:
        _check(0 <= n_past <= self._length, f"a rollback to {n_past} of {self._length}")
        if llama_cpp.llama_memory_seq_rm(self._memory, 0, n_past, -1):
            self._length = n_past
        else:
            # This kind of memory can't be cut: an empty cache is read again, a wrong one is not.
            self.clear()

    def clear(self) -> None:
        llama_cpp.llama_memory_clear(self._memory, False)
        self._length = 0

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


def _parameters(n_ctx: int, max_logits: int, chunk: int, threads: int) -> Any:
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = n_ctx
    params.n_batch = params.n_ubatch = max(chunk, max_logits)
    params.n_seq_max = 1
    # The default reserves a row of logits for every token of a batch: 150 MB at 152k vocabulary.
    params.n_outputs_max = max_logits
    params.n_threads = params.n_threads_batch = threads
    params.swa_full = True
    params.no_perf = True
    return params


def _make_context(model: LlamaModel, params: Any) -> Any:
    log.first_error()
    context = llama_cpp.llama_init_from_model(model.handle, params)
    if not context and params.type_k == llama_cpp.GGML_TYPE_Q8_0:
        # Without flash attention values can't be coarse.
        params.type_k = params.type_v = llama_cpp.GGML_TYPE_F16
        context = llama_cpp.llama_init_from_model(model.handle, params)
    if not context:
        reason = log.first_error() or "llama.cpp gave no reason"
        raise NativeFailure(
            f"No context of {params.n_ctx} tokens could be made for {model.path.name}: {reason}.",
            f"Try a smaller --ctx. The log is {paths.log_file()}.",
        )
    return context


def _check_memory(model: LlamaModel, n_ctx: int) -> None:
    """On a CPU a cache that doesn't fit would end the process while it fills, not now."""
    needed, free = model.cache_bytes(n_ctx), psutil.virtual_memory().available
    if not model.on_gpu and needed > free:
        raise NativeFailure(
            f"A context of {n_ctx} tokens needs {needed / 1e9:.1f} GB for {model.path.name},"
            f" and {free / 1e9:.1f} GB are free.",
            "Give a smaller --ctx.",
        )


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise UsageError(f"llama.cpp can't take {what}.")


def _decode_failure(code: int) -> NativeFailure:
    reasons = {1: "no room in the KV cache", 2: "it was aborted", -1: "the batch is not valid"}
    reason = reasons.get(code, log.first_error() or "llama.cpp gave no reason")
    return NativeFailure(f"Decoding failed (code {code}): {reason}.")
