"""A model's weights and its tokenizer."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Generator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

import llama_cpp
import psutil

from localspec import paths
from localspec.engine.params import SamplingParams
from localspec.errors import NativeFailure
from localspec.llama import log
from localspec.llama.devices import CPU, DeviceList, start_backend, supports_gpu
from localspec.llama.grammar import LlamaGrammar
from localspec.llama.huge_pages import HugePages
from localspec.llama.json_schema import to_gbnf
from localspec.llama.pieces import Pieces

Progress = Generator[float, None, "LlamaModel"]

_POLL_S = 0.01
"""Short enough to see the weights' memory before it is filled."""


class LlamaModel:
    """Weights in memory. Free contexts first, then this."""

    def __init__(self, handle: Any, path: Path, placement: str) -> None:
        self.handle = handle
        self.path = path
        self.placement = placement
        """Where the layers are, in words."""
        self._vocab = llama_cpp.llama_model_get_vocab(handle)
        self._pieces: dict[int, bytes] = {}
        self._forest: Pieces | None = None
        self.n_vocab = int(llama_cpp.llama_vocab_n_tokens(self._vocab))
        self.n_ctx_train = max(0, int(llama_cpp.llama_model_n_ctx_train(handle)))
        """0 when the file doesn't say."""
        self.end_tokens = frozenset(
            token
            for token in range(self.n_vocab)
            if llama_cpp.llama_vocab_is_eog(self._vocab, token)
        )

    @property
    def chat_template(self) -> str:
        source = llama_cpp.llama_model_chat_template(self.handle, None)
        return source.decode("utf-8", "replace") if source else ""

    @property
    def bos_text(self) -> str:
        return self._text(llama_cpp.llama_vocab_bos(self._vocab))

    @property
    def eos_text(self) -> str:
        return self._text(llama_cpp.llama_vocab_eos(self._vocab))

    def _text(self, token: int) -> str:
        if not 0 <= token < self.n_vocab:
            return ""
        text: bytes = llama_cpp.llama_vocab_get_text(self._vocab, token)
        return text.decode("utf-8", "replace")

    def tokenize(self, text: str, special: bool, begin: bool = False) -> list[int]:
        data = text.encode("utf-8", "replace")
        # A token has at least one byte; the slack is for the space that some tokenizers add.
        size = len(data) + 8
        buffer = (llama_cpp.llama_token * size)()
        count = llama_cpp.llama_tokenize(self._vocab, data, len(data), buffer, size, False, special)
        if count < 0:
            raise NativeFailure(f"The text could not be tokenised (code {count}).")
        tokens = list(buffer[:count])
        bos = int(llama_cpp.llama_vocab_bos(self._vocab))
        wants_bos = begin and bos >= 0 and llama_cpp.llama_vocab_get_add_bos(self._vocab)
        return [bos, *tokens] if wants_bos and tokens[:1] != [bos] else tokens

    def token_bytes(self, token: int) -> bytes:
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._piece(token)
        return piece

    def _piece(self, token: int, size: int = 64) -> bytes:
        buffer = ctypes.create_string_buffer(size)
        count = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, size, 0, False)
        if count < 0:
            return self._piece(token, -count)
        return buffer.raw[:count]

    def grammar(self, params: SamplingParams) -> LlamaGrammar | None:
        """What a reply's grammar or JSON schema allows; None without one. Raises UsageError."""
        source = to_gbnf(params.json_schema) if params.json_schema else params.grammar
        if not source:
            return None
        pieces = [self.token_bytes(token) for token in range(self.n_vocab)]
        if self._forest is None:
            self._forest = Pieces(pieces)
        return LlamaGrammar(self._vocab, pieces, self._forest, self.end_tokens, source)

    @property
    def head_dim(self) -> int:
        heads = int(llama_cpp.llama_model_n_head(self.handle))
        return int(llama_cpp.llama_model_n_embd(self.handle)) // max(1, heads)

    def cache_bytes(self, n_ctx: int) -> int:
        """Size of an F16 KV cache; an upper bound where layers keep a window or a state."""
        handle = self.handle
        width = self.head_dim * llama_cpp.llama_model_n_head_kv(handle)
        return int(2 * 2 * llama_cpp.llama_model_n_layer(handle) * width * n_ctx)

    @property
    def on_gpu(self) -> bool:
        return self.placement != CPU

    def close(self) -> None:
        if self.handle is not None:
            llama_cpp.llama_model_free(self.handle)
            self.handle = None


def check_room(path: Path, gpu_layers: int | Literal["auto"]) -> None:
    """For a model that is not needed: without a GPU its weights must fit beside what is loaded.

    Raises NativeFailure.
    """
    size, free = path.stat().st_size, psutil.virtual_memory().available
    on_gpu = supports_gpu() and gpu_layers != 0
    if not on_gpu and size > free:
        raise NativeFailure(
            f"{path.name} has {size / 1e9:.1f} GB, and {free / 1e9:.1f} GB of memory are free."
        )


def load_model(path: Path, gpu_layers: int | Literal["auto"], device: str) -> Progress:
    """Yield progress from 0 to 1 and return the model; closing the generator stops the load.

    The file must have passed the header check: llama.cpp aborts on some broken ones. Raises
    NativeFailure with the last line of llama.cpp's log.
    """
    start_backend()
    devices = DeviceList(device)
    reports: SimpleQueue[float] = SimpleQueue()
    stopped = threading.Event()
    loaded: list[Any] = []
    params = llama_cpp.llama_model_default_params()
    params.n_gpu_layers = devices.layers(gpu_layers)
    params.devices = devices.pointer
    if not supports_gpu() and path.stat().st_size < psutil.virtual_memory().available:
        # CPU kernels repack most tensors: mapped pages would hold a second copy of them.
        params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE

    def report(progress: float, _data: Any) -> bool:
        reports.put(progress)
        return not stopped.is_set()

    params.progress_callback = llama_cpp.llama_progress_callback(report)
    # The load blocks in native code; its own thread lets progress out and a stop in.
    thread = threading.Thread(
        target=lambda: loaded.append(
            llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
        )
    )
    log.first_error()
    memory = HugePages()
    # A small file is read before anything could be reported: there is always a first progress.
    reports.put(0.0)
    thread.start()
    whole = False
    try:
        while not whole:
            ended = not thread.is_alive()
            memory.advise_new()
            try:
                progress = reports.get(timeout=0.0 if ended else _POLL_S)
            except Empty:
                whole = ended
            else:
                yield progress
    finally:
        if not whole:
            stopped.set()
            thread.join()
            if loaded and loaded[0]:
                llama_cpp.llama_model_free(loaded[0])
    if not loaded or not loaded[0]:
        reason = log.first_error() or "llama.cpp gave no reason"
        raise NativeFailure(
            f"{path.name} could not be loaded: {reason}.", f"The log is {paths.log_file()}."
        )
    n_layer = int(llama_cpp.llama_model_n_layer(loaded[0]))
    return LlamaModel(loaded[0], path, devices.describe(gpu_layers, n_layer))
