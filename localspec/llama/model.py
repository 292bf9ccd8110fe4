"""A model's weights and its tokenizer."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import llama_cpp

from localspec.engine.params import SamplingParams
from localspec.errors import NativeFailure
from localspec.llama.grammar import LlamaGrammar
from localspec.llama.json_schema import to_gbnf
from localspec.llama.offload import Offload
from localspec.llama.pieces import Pieces


class LlamaModel:
    """Weights in memory. Free contexts first, then this."""

    def __init__(self, handle: Any, path: Path, offload: Offload) -> None:
        self.handle = handle
        self.path = path
        self.offload = offload
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
    def n_layer(self) -> int:
        return int(llama_cpp.llama_model_n_layer(self.handle))

    @property
    def placement(self) -> str:
        """Where the layers are, in words."""
        return self.offload.describe(self.n_layer)

    @property
    def head_dim(self) -> int:
        heads = int(llama_cpp.llama_model_n_head(self.handle))
        return int(llama_cpp.llama_model_n_embd(self.handle)) // max(1, heads)

    def cache_bytes(self, n_ctx: int, element_bytes: float = 4.0) -> int:
        """The part of a KV cache that is in the system's memory; an upper bound where layers keep a
        window or a state. `element_bytes` are those of a key's and a value's number together."""
        layers = self.n_layer + 1 - self.offload.num_layers(self.n_layer)
        width = self.head_dim * llama_cpp.llama_model_n_head_kv(self.handle)
        return int(element_bytes * min(layers, self.n_layer) * width * n_ctx)

    @property
    def on_gpu(self) -> bool:
        return not self.offload.on_cpu

    def close(self) -> None:
        if self.handle is not None:
            llama_cpp.llama_model_free(self.handle)
            self.handle = None
