"""The costs of a pair's passes: measured when it is loaded, looked at again the next time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

import numpy as np

from localspec.engine.arrays import Tokens
from localspec.engine.costs import CostTable, PassCosts
from localspec.engine.interface import Decoder
from localspec.errors import NativeFailure
from localspec.settings import MAX_DRAFT_TOKENS

MAX_PASS = MAX_DRAFT_TOKENS + 1
BUDGET_S = 1.8
"""Seconds that measuring may take before the first chat; a known table is only looked at."""
_KNOWN_BUDGET_S = 0.9
_DRAFT_BUDGET_S = 0.3
_TARGET_SIZES = (1, 4, 2, 8, 3, 6, 16, 5, 12, 24, 33)
"""The most telling first: a slow model has time for a few."""
_DRAFT_SIZES = (1, 2, 8)
_GROWTH = 0.1
"""What a further token adds to a pass, as a part of it, where only one size could be measured."""
_PLENTY = 8
"""A size is tried twice while there is time for this many passes like it."""


class DraftFailed(NativeFailure):
    """The draft model could not make a pass; the target may be sound."""


def measure(target: Decoder, draft: Decoder | None, budget_s: float = BUDGET_S) -> CostTable:
    """Time passes in emptied caches, and empty them again. A single pass of each model may exceed
    the budget. Raises DraftFailed, and NativeFailure of the target."""
    end = perf_counter() + budget_s
    of_draft: dict[int, float] = {}
    if draft is not None:
        of_draft = dict(
            _draft_passes(draft, _DRAFT_SIZES, min(end, perf_counter() + _DRAFT_BUDGET_S))
        )
    of_target = dict(_passes(target, _TARGET_SIZES, end, all_rows=True))
    return CostTable(_whole(of_target), _whole(of_draft), MAX_PASS)


def refresh(costs: CostTable, target: Decoder, draft: Decoder | None) -> None:
    """A look at a table from another day, which may have been a busy one: at the sizes that there
    is time for. Raises as `measure` does."""
    end = perf_counter() + _KNOWN_BUDGET_S
    if draft is not None and costs.has_draft:
        until = min(end, perf_counter() + _DRAFT_BUDGET_S)
        for size, seconds in _draft_passes(draft, _DRAFT_SIZES, until):
            costs.look("draft", size, seconds)
    for size, seconds in _passes(target, _TARGET_SIZES, end, all_rows=True):
        costs.look("target", size, seconds)


def _whole(points: dict[int, float]) -> dict[int, float]:
    if len(points) == 1:
        ((size, seconds),) = points.items()
        return points | {MAX_PASS: seconds * (1.0 + _GROWTH * (MAX_PASS - size))}
    return points


def _draft_passes(draft: Decoder, sizes: Sequence[int], end: float) -> Iterator[tuple[int, float]]:
    try:
        yield from _passes(draft, sizes, end, all_rows=False)
    except NativeFailure as error:
        raise DraftFailed(error.message, error.hint) from error


def _passes(
    decoder: Decoder, sizes: Sequence[int], end: float, all_rows: bool
) -> Iterator[tuple[int, float]]:
    """(tokens, seconds) of the sizes that there is time for, at least one; with logits of every
    token, or of the last."""
    ids = np.random.default_rng(0).integers(0, decoder.n_vocab, MAX_PASS).astype(np.int32)
    most = min(decoder.max_batch, decoder.n_ctx, MAX_PASS)
    if all_rows:
        most = min(most, decoder.max_logits)
    decoder.rollback(0)
    try:
        # The first pass meets cold memory, but of a slow model it is all there is time for.
        known = {1: _pass(decoder, ids[:1], all_rows)}
        measured = False
        for size in [size for size in sizes if size <= most]:
            expected = float(PassCosts(_whole(known), MAX_PASS).seconds[size])
            if expected > end - perf_counter():
                continue
            seconds = _pass(decoder, ids[:size], all_rows)
            # The first pass of a shape builds its graph, and noise only ever adds.
            if seconds * (1 if size == 1 else _PLENTY) < end - perf_counter():
                seconds = min(seconds, _pass(decoder, ids[:size], all_rows))
            known[size] = seconds
            measured = True
            yield size, seconds
        if not measured:
            yield 1, known[1]
    finally:
        decoder.rollback(0)


def _pass(decoder: Decoder, ids: Tokens, all_rows: bool) -> float:
    """Behind the passes before it: a place in an empty memory costs nothing to mark."""
    if len(decoder.tokens) + len(ids) > decoder.n_ctx:
        decoder.rollback(0)
    start = perf_counter()
    if len(ids) > 1:
        decoder.mark()
    decoder.decode(ids, len(ids) if all_rows else 1)
    return perf_counter() - start
