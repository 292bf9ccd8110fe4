"""Compute buffers: the largest set of numbers that one pass holds at a time.

llama.cpp plans a graph and takes what its peak needs. The peak is the feed-forward part, attention,
or the logits, whichever is larger; the terms were found by planning graphs of many shapes.
"""

from dataclasses import dataclass

from localspec.models.memory import Cache, GraphWidths, ModelMemory

_FLOAT, _HALF = 4, 2
_PIPELINE_COPIES = 4
"""Of the inputs, where several GPUs work on a batch one after the other."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The largest pass of a context."""

    chunk: int
    """Tokens."""
    rows: int
    """Rows of logits."""
    flash_attention: bool = True

    @property
    def tokens(self) -> int:
        return max(self.chunk, self.rows)


def mask_bytes(model: ModelMemory, cache: Cache, of: Pass) -> int:
    """Which tokens each token sees; windowed layers have a mask of their own."""
    if not any(layer.k_width for layer in model.layers):
        return 0
    masks = 2 if model.has_window else 1
    return masks * cache.cells * of.tokens * (_HALF if of.flash_attention else _FLOAT)


def graph_bytes(model: ModelMemory, cache: Cache, of: Pass) -> int:
    """The buffer of a device that computes layers and output."""
    return max(layers_bytes(model, cache, of), logits_bytes(model, of))


def layers_bytes(model: ModelMemory, cache: Cache, of: Pass) -> int:
    """The peak inside the layers."""
    widths = model.widths
    mask = mask_bytes(model, cache, of)
    peak = of.tokens * _FLOAT * _numbers_per_token(widths)
    if not of.flash_attention and mask:
        scores = of.tokens * cache.cells * widths.n_head * _FLOAT
        if widths.latent:
            # What a compressed cache holds of values is turned round beside them.
            scores += cache.cells * widths.attention_width // max(1, widths.n_head) * _HALF
        peak = max(peak, scores + of.tokens * _FLOAT * _attention_numbers(widths))
    if model.keeps_snapshots:
        # Each token's state passes through the buffer before it is kept.
        peak += model.snapshots(of.rows, of.chunk) * max(
            (layer.state for layer in model.layers), default=0
        )
    return mask + peak


def logits_bytes(model: ModelMemory, of: Pass) -> int:
    rows = min(of.rows, of.tokens)
    return rows * (model.n_vocab + 4 * model.widths.n_embd) * _FLOAT


def inputs_bytes(model: ModelMemory, cache: Cache, of: Pass) -> int:
    """The CPU's buffer where every layer is on a GPU: embeddings of the batch, and the mask."""
    return mask_bytes(model, cache, of) + 2 * of.tokens * model.widths.n_embd * _FLOAT


def pipeline_bytes(model: ModelMemory, cache: Cache, of: Pass) -> int:
    """What each of several GPUs holds more, when all layers are on them."""
    copied = mask_bytes(model, cache, of) + of.tokens * model.widths.n_embd * _FLOAT
    return (_PIPELINE_COPIES - 1) * copied


def _numbers_per_token(widths: GraphWidths) -> int:
    embd, used = widths.n_embd, widths.experts_used
    return max(
        3 * widths.n_ff + (5 if widths.latent else 4) * embd,
        3 * used * widths.expert_ff + 4 * embd,
        2 * used * (widths.expert_ff + embd) if widths.expert_ff else 0,
        6 * widths.inner + 2 * embd,
        _attention_numbers(widths),
    )


def _attention_numbers(widths: GraphWidths) -> int:
    if widths.latent:
        return widths.q_width + 2 * widths.attention_width + widths.n_embd
    return widths.q_width + widths.attention_width + 4 * widths.n_embd
