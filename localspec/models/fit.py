"""Which quantisation fits with which context, and the best one that goes wholly on the GPU."""

from collections.abc import Sequence
from dataclasses import dataclass

from localspec.models.candidates import Candidate, Candidates
from localspec.models.memory import ModelMemory
from localspec.models.placement import CPU, MemoryOf, Placement
from localspec.models.placing import plan
from localspec.models.quants import quality

_FIRST_CTX, _LAST_CTX = 4096, 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """One quantisation at every context."""

    candidate: Candidate
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A quantisation, and why."""

    candidate: Candidate
    reason: str
    """A clause, as `the best that goes wholly on the GPU`."""


def contexts(n_ctx_train: int | None) -> tuple[int, ...]:
    """4096 doubled up to what the model was trained for, which is the last, or a million."""
    most = min(n_ctx_train or 8 * _FIRST_CTX, _LAST_CTX)
    found = []
    size = _FIRST_CTX
    while size < most:
        found.append(size)
        size *= 2
    return (*found, most)


def fit_table(
    candidates: Candidates, devices: Sequence[MemoryOf], ctxs: Sequence[int], cache_type: str
) -> tuple[Row, ...]:
    """A row for each quantisation, a placement for each context."""
    keys, values = split_cache_type(cache_type)
    return tuple(
        Row(
            each,
            tuple(plan(each.memory, candidates.draft, devices, ctx, keys, values) for ctx in ctxs),
        )
        for each in candidates.targets
    )


def split_cache_type(text: str) -> tuple[str, str]:
    """`q8_0/f16` is keys and values; one type is both."""
    keys, _, values = text.partition("/")
    return keys, values or keys


def best_quant(
    candidates: Sequence[Candidate],
    default: Candidate,
    draft: ModelMemory | None,
    devices: Sequence[MemoryOf],
    n_ctx: int,
) -> Choice:
    """The best quality that goes wholly on GPUs with the whole draft. Where none does: the default
    if it fits at all, else the best that fits, else the default.

    More bits are slower on a CPU, so nothing better than the default is chosen for one; and of two
    of one class (4-bit, 5-bit...) the default wins.
    """
    placed = [(each, plan(each.memory, draft, devices, n_ctx)) for each in (default, *candidates)]
    on_gpu = [each for each, placement in placed if _wholly_on_gpu(placement, each, draft)]
    if on_gpu:
        best = max(on_gpu, key=lambda each: (quality(each.quant), each is default))
        with_draft = " with the draft" if draft else ""
        return Choice(best, f"the best that goes wholly on the GPU{with_draft}")
    fitting = [each for each, placement in placed if placement.fits]
    if default in fitting or not fitting:
        told = "the usual one" if fitting else "the usual one, although it doesn't fit here"
        return Choice(default, told)
    below = [each for each in fitting if quality(each.quant) <= quality(default.quant)]
    best = max(below or fitting, key=lambda each: (quality(each.quant), -each.file_bytes))
    return Choice(best, f"the usual {default.quant} doesn't fit here")


def _wholly_on_gpu(placement: Placement, candidate: Candidate, draft: ModelMemory | None) -> bool:
    whole = placement.target_layers == candidate.memory.num_layers and not placement.cpu_experts
    drafted = draft is None or placement.draft_device not in ("", CPU)
    return placement.fits and whole and drafted
