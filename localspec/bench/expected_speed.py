"""How fast a pair will be, before anything is loaded: by memory, and by the formulas.

Writing a token reads the weights that it needs and what the cache holds, each where it lies:
    plain = 1 / sum over devices of (bytes read / (bandwidth * efficiency))
Drafting k guesses that are each accepted with rate a commits 1 + a + ... + a^k tokens in k draft
passes and a pass of k + 1 tokens. What that pass costs beside a pass of one is taken from tables
that were measured: much more on a CPU with quantised weights, hardly more on a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from localspec.bench.cost_tables import shipped
from localspec.bench.prospects import prospect
from localspec.engine.costs import CostTable
from localspec.engine.worth import LEAST_GAIN
from localspec.models.memory import Cache, ModelMemory
from localspec.models.placement import CPU, Placement
from localspec.models.placing import draft_cache
from localspec.models.quants import bits
from localspec.settings import MAX_DRAFT_TOKENS

ACCEPTANCE = 0.75
"""Of a guess: what matched pairs reach on mixed text."""
TEXT = 2048
"""Tokens in the cache that the speed is told for."""
_EFFICIENCY = {"cpu": 0.85, "gpu": 0.75}
"""Of the bandwidth, what a pass of one token reaches."""
_PASS_S = {"cpu": 0.0005, "gpu": 0.0015}
"""What a pass costs however small its model is: launches, threads that meet."""
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 33)


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second."""

    plain: float
    drafted: float
    """At ACCEPTANCE; `plain` where no draft pays."""
    num_draft_tokens: int
    """Of the best round; 0: drafting won't pay."""
    measured: bool = False
    """By the times of this pair's own passes on this machine."""

    @property
    def best(self) -> float:
        return max(self.plain, self.drafted)


def expected_speed(
    target: ModelMemory,
    quant: str,
    draft: ModelMemory | None,
    placement: Placement,
    bandwidths: Mapping[str, float],
) -> Speed:
    """`bandwidths` in bytes a second, by device."""
    return speed_of(pair_costs(target, quant, draft, placement, bandwidths))


def speed_of(costs: CostTable, measured: bool = False) -> Speed:
    """By the costs of a pair's passes."""
    plain = 1.0 / float(costs.target(0)[1])
    best = prospect(costs, ACCEPTANCE, MAX_DRAFT_TOKENS) if costs.has_draft else None
    if best is None or best.speedup < LEAST_GAIN:
        return Speed(plain, plain, 0, measured)
    return Speed(plain, plain * best.speedup, best.num_draft_tokens, measured)


def pair_costs(
    target: ModelMemory,
    quant: str,
    draft: ModelMemory | None,
    placement: Placement,
    bandwidths: Mapping[str, float],
) -> CostTable:
    """Seconds of the target's passes and the draft's, for a table as the engine has it."""
    kept = Cache(TEXT, placement.cache_type_k, placement.cache_type_v)
    seconds = {
        size: _pass_seconds(target, quant, placement, kept, bandwidths, size) for size in _SIZES
    }
    if draft is None:
        return CostTable(seconds, {}, MAX_DRAFT_TOKENS + 1)
    device = placement.draft_device or CPU
    read = draft.read_per_token + _cache_read(draft, draft_cache(draft, TEXT, on_gpu=device != CPU))
    kind = _kind(device)
    draft_s = read / (bandwidths[device] * _EFFICIENCY[kind]) + _PASS_S[kind]
    return CostTable(seconds, {1: draft_s}, MAX_DRAFT_TOKENS + 1)


def _pass_seconds(
    model: ModelMemory,
    quant: str,
    placement: Placement,
    kept: Cache,
    bandwidths: Mapping[str, float],
    size: int,
) -> float:
    """Of reading what `size` tokens need, times what so many cost more than one does there."""
    seconds = 0.0
    for device, read in _read_by_device(model, placement, kept, size).items():
        kind = _kind(device)
        once = read / (bandwidths[device] * _EFFICIENCY[kind]) + _PASS_S[kind]
        seconds += once * _growth(quant, kind, size)
    return seconds


def _growth(quant: str, kind: str, size: int) -> float:
    """What a pass of `size` tokens costs beside a pass of one, as it was measured elsewhere."""
    wide = (bits(quant) or 4.0) >= 16
    name = "gpu" if kind == "gpu" else "f16-2core" if wide else "q4_k_m-2core"
    seconds = _shipped()[name].target(0)
    return float(seconds[size] / seconds[1])


_shipped = cache(shipped)


def _read_by_device(
    model: ModelMemory, placement: Placement, kept: Cache, size: int
) -> dict[str, float]:
    """Bytes that a pass reads; the more tokens, the more experts are asked for."""
    unused = 1.0 - model.widths.experts_used / model.num_experts if model.num_experts else 0.0
    used = 1.0 - unused**size
    places = _places(model, placement)
    found: dict[str, float] = {}

    def add(device: str, num_bytes: float) -> None:
        found[device] = found.get(device, 0.0) + num_bytes

    for index, layer in enumerate(model.layers):
        add(places[index], layer.weights + kept.of(layer, 0))
        if layer.experts:
            stay = index < placement.cpu_experts
            add(CPU if stay else places[index], used * layer.experts)
    add(places[-1], model.output + model.tied)
    return found


def _places(model: ModelMemory, placement: Placement) -> list[str]:
    """The device of each layer; the output's is the last."""
    if not placement.devices:
        return [CPU] * model.num_layers
    counts = placement.tensor_split or (float(placement.target_layers),)
    held = [
        name
        for name, count in zip(placement.devices, counts, strict=True)
        for _ in range(int(count))
    ]
    return [CPU] * (model.num_layers - len(held)) + held


def _cache_read(model: ModelMemory, kept: Cache) -> int:
    return sum(kept.of(layer, 0) for layer in model.layers)


def _kind(device: str) -> str:
    return "cpu" if device == CPU else "gpu"
