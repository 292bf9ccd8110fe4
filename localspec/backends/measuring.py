"""Loads a pair as a placement says, and holds llama.cpp's allocations against the estimate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from localspec.llama import log
from localspec.llama.allocations import Allocated, allocated
from localspec.llama.cache_types import CacheFormat, refuse_unfit
from localspec.llama.context import LlamaDecoder
from localspec.llama.devices import start_backend
from localspec.llama.offload import Offload
from localspec.llama.weights import load_model
from localspec.models.attention import head_dims, keeps_together
from localspec.models.memory import DRAFT_ROWS, TARGET_ROWS
from localspec.models.model_file import ModelFacts
from localspec.models.placement import CPU, Placement


@dataclass(frozen=True, slots=True)
class Measured:
    """What one model of a pair took of one device, in bytes."""

    role: Literal["target", "draft"]
    device: str
    weights: int
    cache: int
    compute: int
    """With the logits of all rows."""


def measure(
    target: ModelFacts, draft: ModelFacts | None, placement: Placement
) -> Iterator[Measured]:
    """One model after the other, so that a machine needs room for the larger one alone. Raises
    UsageError for a cache that the target can't have, NativeFailure, OutOfMemory."""
    offload = Offload(
        placement.devices, placement.target_layers, placement.tensor_split, placement.cpu_experts
    )
    flash = "on" if placement.flash_attention else "off"
    cache = CacheFormat(placement.cache_type_k, placement.cache_type_v, flash)  # type: ignore[arg-type]
    refuse_unfit(cache, target.path.name, head_dims(target), keeps_together(target))
    yield from _of("target", target, offload, placement.n_ctx, TARGET_ROWS, cache)
    if draft is not None:
        on_gpu = placement.draft_device not in ("", CPU)
        beside = Offload((placement.draft_device,), -1) if on_gpu else Offload()
        coarse = CacheFormat(coarse=True)
        yield from _of("draft", draft, beside, placement.n_ctx, DRAFT_ROWS, coarse)


def _of(
    role: Literal["target", "draft"],
    facts: ModelFacts,
    offload: Offload,
    n_ctx: int,
    rows: int,
    cache: CacheFormat,
) -> Iterator[Measured]:
    for name, each in native_allocations(facts, offload, n_ctx, rows, cache).items():
        compute = each.compute + rows * each.output
        yield Measured(role, name, each.weights, each.cache, compute)


def native_allocations(
    facts: ModelFacts, offload: Offload, n_ctx: int, rows: int, cache: CacheFormat
) -> dict[str, Allocated]:
    """By device, of one model and its context, which are gone afterwards."""
    start_backend()
    with log.recorded() as lines:
        loading = load_model(facts.path, offload, facts.file_bytes)
        with closing(loading):
            while True:
                try:
                    next(loading)
                except StopIteration as done:
                    model = done.value
                    break
        try:
            LlamaDecoder(model, n_ctx, rows, cache=cache).close()
        finally:
            model.close()
        return allocated(lines())
