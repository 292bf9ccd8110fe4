"""A model's memory by a catalog's few numbers, where no header is at hand: marked as not exact."""

from dataclasses import replace

from localspec.models.catalog.entries import Alternative, ModelFile, Pair
from localspec.models.memory import GraphWidths, Layer, ModelMemory
from localspec.models.quants import bits

_LAYER_SHAPE = 12
"""Weights of a layer as multiples of the square of its width: 4 of attention, 8 and more of the
feed-forward part."""
_FF_WIDTH = 3.5
_KV_ELEMENT = 2
_TIED_BELOW = 5e9
"""Small models use their embeddings as the output."""
_DEFAULT_LAYERS, _DEFAULT_VOCAB = 32, 128_000
_SHAPE = {"params_b", "active_b", "n_layer", "n_head_kv", "head_dim", "n_vocab", "ctx_train"}
_SHARED_ACTIVE = 0.3
"""Of what a mixture reads for a token: attention and the like, which is no expert's."""
_EXPERTS = 256


def memory_of_target(pair: Pair, file: ModelFile) -> ModelMemory | None:
    """None when the catalog doesn't know how large the model is. `file` may be any of the pair's
    targets: what it leaves out is the pair's own, unless its size tells of another model."""
    left_out = {
        key: value
        for key, value in pair.target.model_dump(include=_SHAPE).items()
        if getattr(file, key) is None
    }
    whole = file.model_copy(update=left_out)
    if not _is_plausible(whole):
        return None
    return estimate(whole, pair.kv_bytes_per_token_whole or pair.kv_bytes_per_token_f16)


def _is_plausible(file: ModelFile) -> bool:
    size, per_weight = file_bytes(file), bits(file.quant)
    if size is None or per_weight is None or not file.params_b:
        return True
    return 0.5 < size * 8 / (file.params_b * 1e9) / per_weight < 2.0


def estimate(file: ModelFile, kv_bytes_per_token: int | None = None) -> ModelMemory | None:
    """By parameters, layers and heads."""
    size = file_bytes(file)
    if size is None:
        return None
    parameters = (file.params_b or size * 8 / (bits(file.quant) or 4.9) / 1e9) * 1e9
    num_layers = file.n_layer or _DEFAULT_LAYERS
    vocab = file.n_vocab or _DEFAULT_VOCAB
    width = _width(parameters, file.active_b, num_layers)
    embeddings = int(min(0.5, vocab * width / parameters) * size)
    tied = embeddings if parameters < _TIED_BELOW else 0
    output = 0 if tied else embeddings
    per_token = kv_bytes_per_token or _kv_bytes(file, num_layers, width)
    cells = per_token // _KV_ELEMENT // num_layers
    rest = max(0, size - embeddings - output) // num_layers
    layer = Layer(rest, k_width=cells // 2, v_width=cells - cells // 2)
    memory = ModelMemory(
        layers=(layer,) * num_layers,
        embeddings=embeddings,
        output=output,
        tied=tied,
        tied_copied_on_cpu=False,
        n_vocab=vocab,
        n_ctx_train=file.ctx_train,
        widths=_widths(file, width),
        exact=False,
    )
    return _as_mixture(memory, parameters, file.active_b) if file.active_b else memory


def is_listed(file: ModelFile | Alternative) -> bool:
    """Whether the catalog has the size of every part."""
    return file.bytes is not None and all(shard.bytes is not None for shard in file.shards)


def file_bytes(file: ModelFile | Alternative) -> int | None:
    """Of all parts; by parameters where the catalog doesn't say."""
    if is_listed(file):
        return (file.bytes or 0) + sum(shard.bytes or 0 for shard in file.shards)
    per_weight = bits(file.quant)
    if file.params_b is None or per_weight is None:
        return None
    return int(file.params_b * 1e9 * per_weight / 8)


def _as_mixture(memory: ModelMemory, parameters: float, active_b: float) -> ModelMemory:
    """Most of a layer is experts; as many of them are chosen as the active parameters say."""
    active = min(1.0, active_b * 1e9 / parameters)
    shared = _SHARED_ACTIVE * active
    chosen = max(1, round(_EXPERTS * (active - shared) / (1.0 - shared)))
    layers = tuple(
        replace(
            layer,
            weights=int(layer.weights * shared),
            experts=layer.weights - int(layer.weights * shared),
        )
        for layer in memory.layers
    )
    widths = replace(memory.widths, experts_used=chosen)
    return replace(memory, layers=layers, num_experts=_EXPERTS, widths=widths)


def _width(parameters: float, active_b: float | None, num_layers: int) -> int:
    # A mixture is about as wide as a dense model of twice its active parameters.
    dense = 2e9 * active_b if active_b else parameters
    return max(256, int((dense / (_LAYER_SHAPE * num_layers)) ** 0.5) // 128 * 128)


def _kv_bytes(file: ModelFile, num_layers: int, width: int) -> int:
    if file.n_head_kv and file.head_dim:
        return 2 * _KV_ELEMENT * num_layers * file.n_head_kv * file.head_dim
    # Where nothing is said: a quarter of the heads keep keys and values.
    return 2 * _KV_ELEMENT * num_layers * width // 4


def _widths(file: ModelFile, width: int) -> GraphWidths:
    head = file.head_dim or 128
    heads = max(1, width // head)
    return GraphWidths(
        n_embd=width,
        n_ff=int(_FF_WIDTH * width),
        n_head=heads,
        q_width=heads * head,
        attention_width=heads * head,
    )
