"""The second half of the chain: temperature, top-k, top-p, min-p, renormalise."""

from __future__ import annotations

import numpy as np

from localspec.engine.arrays import Logits
from localspec.engine.distribution import Distribution, Floats, Ids
from localspec.engine.params import SamplingParams

_BLOCK = 128
"""Width of the blocks whose maxima bound the k-th largest logit."""
_FEW = 512
"""Ids that are sorted at once; in nearly every row they hold the nucleus."""


def truncate(logits: Logits, ids: Ids, params: SamplingParams) -> Distribution:
    """The distribution over `ids`, ascending, that top-k has cut already."""
    mass: float | None = None
    if params.top_p < 1.0 and len(ids) > _FEW:
        ids, mass = _likeliest(logits, ids, params)
    # Float64: a temperature near 0 makes logits that float32 can't subtract.
    values = logits if len(ids) == len(logits) else logits[ids]
    scaled = values.astype(np.float64) / params.temperature
    probs = np.exp(scaled - scaled.max())
    if params.top_p < 1.0:
        ids, probs = _nucleus(ids, probs, params.top_p * (mass or float(probs.sum())))
    if params.min_p > 0.0:
        keep = probs >= params.min_p * probs.max()
        ids, probs = ids[keep], probs[keep]
    return Distribution(ids, probs / probs.sum())


def candidates(logits: Logits, params: SamplingParams) -> Ids:
    """Ascending ids of a row that top-k leaves; all of them without top-k."""
    if params.top_k == 0 or params.top_k >= len(logits):
        if not only_min_p(params):
            return np.arange(len(logits))
        return np.flatnonzero(logits >= floor(float(logits.max()), params))
    return top_k(logits, params.top_k)


def only_min_p(params: SamplingParams) -> bool:
    """Whether a token under the min-p floor has no effect on any other."""
    return params.min_p > 0.0 and params.top_p == 1.0


def floor(best: float, params: SamplingParams) -> float:
    """A bound below every logit that min-p keeps when the best one is `best`."""
    return best + params.temperature * float(np.log(params.min_p)) - 1e-3


def top_k(logits: Logits, k: int) -> Ids:
    """The ids of the k largest logits, ascending; of equal logits the lower ids."""
    usable = len(logits) // _BLOCK * _BLOCK
    bounds = logits
    if usable // _BLOCK > 2 * k:
        # k blocks have a maximum at or above the k-th largest of them, so k logits do.
        bounds = logits[:usable].reshape(-1, _BLOCK).max(axis=1)
    elif k >= len(logits):
        return np.arange(len(logits))
    bound = np.partition(bounds, len(bounds) - k)[len(bounds) - k]
    near = np.flatnonzero(logits >= bound)
    return best_of(logits, near, k)


def best_of(logits: Logits, ids: Ids, k: int) -> Ids:
    """The k likeliest of `ids`, both ascending; of equal logits the lower ids."""
    if k >= len(ids):
        return ids
    best = np.argsort(-logits[ids], kind="stable")[:k]
    return np.sort(ids[best])


def _nucleus(ids: Ids, probs: Floats, mass: float) -> tuple[Ids, Floats]:
    """The fewest likeliest ids that hold `mass`, ascending."""
    order = np.argsort(-probs, kind="stable")
    before = np.cumsum(probs[order]) - probs[order]
    kept = np.sort(order[before < mass])
    return ids[kept], probs[kept]


def _likeliest(logits: Logits, ids: Ids, params: SamplingParams) -> tuple[Ids, float | None]:
    """Fewer ids with all of the nucleus among them, and the mass of all; `ids` if they are needed.

    Sorting a whole vocabulary takes 20 ms. Its mass is summed from float32, right to a millionth.
    """
    values = logits if len(ids) == len(logits) else logits[ids]
    scale = np.float32(1.0 / params.temperature)
    mass = float(np.exp((values - values.max()) * scale).sum(dtype=np.float64))
    count = _FEW
    while count < len(ids):
        near = top_k(values, count)
        scaled = values[near].astype(np.float64) / params.temperature
        probs = np.exp(scaled - scaled.max())
        if probs.sum() - probs.min() > params.top_p * mass:
            return ids[near], mass
        count *= 8
    return ids, None
