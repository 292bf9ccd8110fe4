"""Makes llama.cpp contexts: their parameters, and the reason when one can't be made."""

from __future__ import annotations

from typing import Any

import llama_cpp
import psutil

from localspec import paths
from localspec.errors import NativeFailure
from localspec.llama import log
from localspec.llama.model import LlamaModel

_Q8_BLOCK = 32


def parameters(
    model: LlamaModel, n_ctx: int, max_logits: int, chunk: int, threads: int, coarse_cache: bool
) -> Any:
    """`llama_context_params` of one sequence; `chunk` is the largest batch, in tokens."""
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = n_ctx
    params.n_batch = params.n_ubatch = max(chunk, max_logits)
    params.n_seq_max = 1
    # The default reserves a row of logits for every token of a batch: 150 MB at 152k vocabulary.
    params.n_outputs_max = max_logits
    params.n_threads = params.n_threads_batch = threads
    # A cache of the window's size says yes to every cut, but what left the window is gone.
    params.swa_full = True
    params.no_perf = True
    if coarse_cache and not model.on_gpu and model.head_dim % _Q8_BLOCK == 0:
        params.type_k = params.type_v = llama_cpp.GGML_TYPE_Q8_0
    return params


def make_context(model: LlamaModel, params: Any) -> Any:
    """A context of its own; the caller frees it. Raises NativeFailure."""
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


def check_memory(model: LlamaModel, n_ctx: int) -> None:
    """On a CPU a cache that doesn't fit would end the process while it fills, not now."""
    needed, free = model.cache_bytes(n_ctx), psutil.virtual_memory().available
    if not model.on_gpu and needed > free:
        raise NativeFailure(
            f"A context of {n_ctx} tokens needs {needed / 1e9:.1f} GB for {model.path.name},"
            f" and {free / 1e9:.1f} GB are free.",
            "Give a smaller --ctx.",
        )
