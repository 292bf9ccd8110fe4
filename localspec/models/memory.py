"""The memory that llama.cpp takes for a model, by layer and by what it is for.

The rules are those of llama.cpp's own sources (llama-model.cpp, llama-kv-cache.cpp,
llama-memory-recurrent.cpp, llama-context.cpp); tests hold them against what it allocates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from localspec.models.gguf_types import TENSOR_BLOCKS
from localspec.settings import DEFAULT_CTX, MAX_DRAFT_TOKENS

_CACHE_KINDS = {
    "f32": 0,
    "f16": 1,
    "q4_0": 2,
    "q4_1": 3,
    "q5_0": 6,
    "q5_1": 7,
    "q8_0": 8,
    "iq4_nl": 20,
    "bf16": 30,
}
"""ggml's numbers of the types that a cache may have."""
CPU_CHUNK, GPU_CHUNK = 64, 512
"""Tokens of the largest batch, as `llama.context` has it."""
TARGET_ROWS, DRAFT_ROWS = MAX_DRAFT_TOKENS + 1, 1
"""Rows of logits that a context reserves."""
_CTX_PAD = 256
_SNAPSHOT_BYTES = 256_000_000
_FLOAT = 4


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer's weights, and what it keeps of a text."""

    weights: int
    """Bytes, without experts."""
    experts: int = 0
    """Bytes of the experts that a router chooses from."""
    k_width: int = 0
    """Elements for each token of the context; 0 in a layer that keeps none."""
    v_width: int = 0
    window: int = 0
    """Tokens that it looks back; 0 is the whole context."""
    state: int = 0
    """Bytes of a recurrent state, whatever the length of the text."""


@dataclass(frozen=True, slots=True)
class GraphWidths:
    """Widths, in numbers for each token, that decide how large a pass is."""

    n_embd: int
    n_ff: int
    """Of the widest layer without a router."""
    n_head: int
    q_width: int
    """Queries of all heads."""
    attention_width: int
    """What attention gives, of all heads."""
    experts_used: int = 0
    expert_ff: int = 0
    inner: int = 0
    """Of a state-space layer."""
    latent: bool = False
    """Attention over a compressed cache (MLA)."""


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """What a model takes; sizes in bytes."""

    layers: tuple[Layer, ...]
    embeddings: int
    """Stay in the system's memory."""
    output: int
    """The layer behind the last."""
    tied: int
    """Embeddings that serve as the output as well: copied to where the output is."""
    tied_copied_on_cpu: bool
    """Kernels of this CPU want the output in an order of their own, so it is there twice."""
    n_vocab: int
    n_ctx_train: int | None
    widths: GraphWidths
    num_experts: int = 0
    keeps_snapshots: bool = False
    """Recurrent states are kept for each token that may be rejected."""
    exact: bool = True
    """Read from a header; else reckoned from a catalog's few numbers."""

    @property
    def num_layers(self) -> int:
        """As llama.cpp counts them: the output is one more."""
        return len(self.layers) + 1

    @property
    def weights(self) -> int:
        """All of them on a CPU."""
        copied = self.tied if self.tied_copied_on_cpu else 0
        repeating = sum(layer.weights + layer.experts for layer in self.layers)
        return repeating + self.embeddings + self.output + copied

    @property
    def usual_ctx(self) -> int:
        """The default context, or all that the model was trained for."""
        return min(DEFAULT_CTX, self.n_ctx_train or DEFAULT_CTX)

    @property
    def read_per_token(self) -> int:
        """Bytes of weights that one token's pass reads: of the experts only those chosen."""
        share = self.widths.experts_used / self.num_experts if self.num_experts else 1.0
        experts = int(share * sum(layer.experts for layer in self.layers))
        return sum(layer.weights for layer in self.layers) + experts + self.output + self.tied

    @property
    def has_window(self) -> bool:
        return any(layer.window for layer in self.layers)

    def scaled(self, factor: float) -> "ModelMemory":
        """The same model in a quantisation that takes `factor` times as many bytes."""
        layers = tuple(
            replace(layer, weights=int(layer.weights * factor), experts=int(layer.experts * factor))
            for layer in self.layers
        )
        return replace(
            self,
            layers=layers,
            embeddings=int(self.embeddings * factor),
            output=int(self.output * factor),
            tied=int(self.tied * factor),
            exact=False,
        )

    def snapshots(self, rows: int, chunk: int) -> int:
        """Recurrent states kept beside the present one."""
        state = sum(layer.state for layer in self.layers)
        if not self.keeps_snapshots or rows < 2 or not state:
            return 0
        wanted = min(rows - 1, _SNAPSHOT_BYTES // state, max(chunk, rows) - 2)
        return wanted if wanted > 1 else 0


@dataclass(frozen=True, slots=True)
class Cache:
    """How a context keeps a text."""

    n_ctx: int
    type_k: str = "f16"
    type_v: str = "f16"
    whole_windows: bool = True
    """Windowed layers keep the whole context (llama.cpp's `swa_full`), as ours do."""

    @property
    def cells(self) -> int:
        return padded(self.n_ctx)

    def of(self, layer: Layer, chunk: int, snapshots: int = 0) -> int:
        """Bytes of one layer, with `snapshots` states beside its own."""
        cells = self.cells
        if layer.window and not self.whole_windows:
            cells = min(cells, padded(min(cells, layer.window + chunk)))
        width = row_bytes(self.type_k, layer.k_width) + row_bytes(self.type_v, layer.v_width)
        return cells * width + layer.state * (1 + snapshots)


def padded(n_ctx: int) -> int:
    """llama.cpp rounds a context up to a multiple of 256 tokens."""
    return -(-n_ctx // _CTX_PAD) * _CTX_PAD


def row_bytes(cache_type: str, width: int) -> int:
    """Bytes of `width` elements of a cache type."""
    elements, size = TENSOR_BLOCKS[_CACHE_KINDS[cache_type]]
    return -(-width // elements) * size


def cache_bytes(
    model: ModelMemory, cache: Cache, rows: int, chunk: int, layers: Sequence[Layer] | None = None
) -> int:
    """Of these layers, or of all."""
    snapshots = model.snapshots(rows, chunk)
    chosen = model.layers if layers is None else layers
    return sum(cache.of(layer, chunk, snapshots) for layer in chosen)


def output_bytes(model: ModelMemory, rows: int) -> int:
    """The logits' buffer, in the system's memory; it has grown to this after the first round."""
    return rows * model.n_vocab * _FLOAT
