"""What each layer of a model keeps of the text: cells for every token, or a state of its own.

Architectures differ in which of their layers are recurrent, windowed, or share another's cells; the
rules are those of llama.cpp's load_arch_hparams.
"""

from localspec.models.gguf_header import GgufHeader

_RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
_BY_HEADS = frozenset(
    "jamba plamo2 granitehybrid lfm2 lfm2moe kimi-linear kimi-k3 bailingmoe3 glm5-next"  # noqa: SIM905
    " nemotron_h nemotron_h_moe".split()
)
"""A layer without KV heads is recurrent (in nemotron_h one without a feed-forward part, too)."""
_BY_INTERVAL = frozenset({"qwen3next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01"})
_WINDOW_PERIODS = {
    "afmoe": 4,
    "cohere2": 4,
    "exaone-moe": 4,
    "exaone4": 4,
    "gemma2": 2,
    "gemma3": 6,
    "gemma3n": 5,
    "gpt-oss": 2,
    "llama4": 4,
    "mellum": 4,
    "muse-glimmer": 4,
    "olmo2": 4,
    "plamo3": 8,
}
"""Every n-th layer sees all; the others a window."""
_WINDOW_PERIODS_FROM_FIRST = {"cohere2moe": 4, "laguna": 4, "smallthinker": 4}
_WINDOW_DEFAULTS = {"gemma2": 4096, "exaone4": 4096, "llama4": 8192}
_WINDOWED = (
    frozenset({"gemma4", "granite_swa", "maple", "mimo2", "spark2_5", "step35"})
    | _WINDOW_PERIODS.keys()
    | _WINDOW_PERIODS_FROM_FIRST.keys()
)
_INDEXED = frozenset({"deepseek32", "glm-dsa"})
_FLOAT = 4


class TextKeeping:
    """The header's per-layer numbers, with llama.cpp's defaults."""

    def __init__(self, header: GgufHeader, architecture: str) -> None:
        self._header = header
        self._arch = architecture
        blocks = self._number("block_count")
        self.num_layers = max(0, blocks - self._number("nextn_predict_layers"))
        """Without the prediction head's."""
        heads = max(1, self._number("attention.head_count"))
        width = self._number("embedding_length") // heads
        self.key_length = self._number("attention.key_length", width)
        self.value_length = self._number("attention.value_length", width)
        self.latent = bool(
            self._number("attention.key_length_mla") and self._number("attention.value_length_mla")
        )

    def cell_widths(self, index: int) -> tuple[int, int]:
        """Elements of keys and of values that a layer keeps for each token."""
        if not self._has_cells(index):
            return 0, 0
        heads = self._at("attention.head_count_kv", index, self._at("attention.head_count", index))
        key, value = self.key_length, self.value_length
        if self._is_windowed(index):
            key = self._number("attention.key_length_swa", key)
            value = self._number("attention.value_length_swa", value)
        if self.latent:
            indexer = self._number("attention.indexer.key_length") if self._indexed else 0
            return key * heads + indexer, 0
        return key * heads, value * heads

    def window(self, index: int) -> int:
        """Tokens that an attention layer looks back; 0 is all of them."""
        return self._window_length if self._is_windowed(index) and self._has_cells(index) else 0

    def state_bytes(self, index: int) -> int:
        """Of a recurrent layer's convolution and state, in 32 bits."""
        if not self._is_recurrent(index):
            return 0
        return (self._convolution + self._state) * _FLOAT

    def _has_cells(self, index: int) -> bool:
        if self._arch == "falcon-h1":
            return True
        if self._arch == "gemma3n" and index >= 20:
            return False
        shared = self._number("attention.shared_kv_layers")
        if shared and index >= self._number("block_count") - shared:
            return False
        if self._arch.startswith("nemotron_h") and self._at("feed_forward_length", index):
            return False
        return not self._is_recurrent(index)

    def _is_recurrent(self, index: int) -> bool:
        if self._arch in _RECURRENT or self._arch == "falcon-h1":
            return True
        if self._arch in _BY_HEADS:
            is_mixer = not self._at("attention.head_count_kv", index)
            feeds = self._arch.startswith("nemotron_h") and self._at("feed_forward_length", index)
            return is_mixer and not feeds
        if self._arch in _BY_INTERVAL:
            if f"{self._arch}.attention.recurrent_layers" in self._header.values:
                return bool(self._at("attention.recurrent_layers", index))
            return (index + 1) % max(1, self._number("full_attention_interval", 4)) != 0
        return False

    def _is_windowed(self, index: int) -> bool:
        if self._arch not in _WINDOWED or not self._window_length:
            return False
        if self._arch == "exaone4" and self.num_layers != 64:
            return False
        pattern = self._header.values.get(f"{self._arch}.attention.sliding_window_pattern")
        if isinstance(pattern, tuple):
            return index < len(pattern) and bool(pattern[index])
        if self._arch in _WINDOW_PERIODS_FROM_FIRST:
            period = self._number(
                "attention.sliding_window_pattern", _WINDOW_PERIODS_FROM_FIRST[self._arch]
            )
            return period == 0 or index % period != 0
        period = self._number(
            "attention.sliding_window_pattern", _WINDOW_PERIODS.get(self._arch, 1)
        )
        return period == 0 or index % period < period - 1

    @property
    def _window_length(self) -> int:
        default = _WINDOW_DEFAULTS.get(self._arch, 0)
        return self._number("attention.sliding_window", default)

    @property
    def _indexed(self) -> bool:
        return self._arch in _INDEXED

    @property
    def _convolution(self) -> int:
        embd = self._number("embedding_length")
        if self._number("wkv.head_size"):
            return self._number("token_shift_count", 2) * embd
        if self._number("shortconv.l_cache"):
            return embd * (self._number("shortconv.l_cache") - 1)
        kept = max(0, self._number("ssm.conv_kernel") - 1)
        if head := self._number("kda.head_dim"):
            return 3 * (kept or 3) * self._number("attention.head_count") * head
        groups = 2 * self._number("ssm.group_count") * self._number("ssm.state_size")
        return kept * (self._number("ssm.inner_size") + groups)

    @property
    def _state(self) -> int:
        if head := self._number("wkv.head_size"):
            return self._number("embedding_length") * head
        if head := self._number("kda.head_dim"):
            return head * head * self._number("attention.head_count")
        return self._number("ssm.state_size") * self._number("ssm.inner_size")

    def _number(self, key: str, default: int = 0) -> int:
        value = self._header.integer(f"{self._arch}.{key}")
        return default if value is None else value

    def _at(self, key: str, index: int, default: int = 0) -> int:
        """The layer's own number, where the header lists one for each."""
        value = self._header.values.get(f"{self._arch}.{key}")
        if isinstance(value, tuple):
            return int(value[index]) if index < len(value) else default
        return int(value) if isinstance(value, int) else default
