"""Makes llama.cpp contexts: their parameters, and the reason when one can't be made."""

from __future__ import annotations

from typing import Any

import llama_cpp
import psutil

from localspec import paths
from localspec.errors import NativeFailure, OutOfMemory
from localspec.llama import log
from localspec.llama.cache_types import TYPES, CacheFormat
from localspec.llama.model import LlamaModel

_Q8_BLOCK = 32
_FLASH_ATTENTION = {"auto": -1, "off": 0, "on": 1}


def parameters(
    model: LlamaModel, n_ctx: int, max_logits: int, chunk: int, threads: int, cache: CacheFormat
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
    params.flash_attn_type = _FLASH_ATTENTION[cache.flash_attention]
    params.type_k, params.type_v = TYPES[cache.keys][0], TYPES[cache.values][0]
    off = cache.flash_attention == "off"
    if cache.coarse and not off and not model.on_gpu and model.head_dim % _Q8_BLOCK == 0:
        params.type_k = params.type_v = llama_cpp.GGML_TYPE_Q8_0
    return params


def make_context(model: LlamaModel, params: Any, cache: CacheFormat) -> Any:
    """A context of its own; the caller frees it. Raises OutOfMemory, NativeFailure."""
    log.take_errors()
    context = llama_cpp.llama_init_from_model(model.handle, params)
    if not context and cache.coarse and params.type_v == llama_cpp.GGML_TYPE_Q8_0:
        # Without flash attention values can't be coarse.
        params.type_k = params.type_v = llama_cpp.GGML_TYPE_F16
        context = llama_cpp.llama_init_from_model(model.handle, params)
    if not context:
        errors = log.take_errors()
        kind = OutOfMemory if log.for_want_of_memory(errors) else NativeFailure
        made = f"No context of {params.n_ctx} tokens could be made for {model.path.name}"
        raise kind(
            f"{made}: {log.reason_of(errors)}.",
            f"Try a smaller --ctx. The log is {paths.log_file()}.",
        )
    return context


def check_memory(model: LlamaModel, n_ctx: int, cache: CacheFormat) -> None:
    """On a CPU a cache that doesn't fit would end the process while it fills, not now. Raises
    OutOfMemory."""
    needed = model.cache_bytes(n_ctx, cache.element_bytes)
    free = psutil.virtual_memory().available
    if needed > free:
        raise OutOfMemory(
            f"A context of {n_ctx} tokens needs {needed / 1e9:.1f} GB for {model.path.name},"
            f" and {free / 1e9:.1f} GB are free.",
            "Give a smaller --ctx.",
        )
