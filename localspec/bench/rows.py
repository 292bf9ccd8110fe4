"""What sampling one row of logits costs, by kind of sampling: `python -m localspec.bench.rows`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np

from localspec.engine.arrays import Logits
from localspec.engine.grammar import Grammar
from localspec.engine.sampling import Sampler, SamplingParams

N_VOCAB = 151_936
"""Qwen's, the largest among common ones."""

_ROWS = 8
"""More than the caches of a core hold at this vocabulary: a fresh row comes from memory."""

KINDS = {
    "greedy": {"temperature": 0.0},
    "plain": {},
    "top-k 0": {"top_k": 0},
    "top-k 0, top-p 1, min-p 0": {"top_k": 0, "top_p": 1.0, "min_p": 0.0},
    "penalties": {"repeat_penalty": 1.1, "presence_penalty": 0.1, "frequency_penalty": 0.1},
    "penalties on 8192 tokens": {"repeat_penalty": 1.1, "repeat_last_n": -1},
    "logit bias": {"logit_bias": ((11, -5.0), (13, -np.inf))},
}


@dataclass(frozen=True, slots=True)
class RowCost:
    """Of one kind of sampling."""

    kind: str
    median_s: float
    worst_s: float


def row_costs(
    n_vocab: int = N_VOCAB, repeats: int = 200, grammar: Grammar | None = None
) -> Iterator[RowCost]:
    """Time every kind on made-up rows; with a grammar, also the row at its beginning."""
    rows = made_up_rows(n_vocab)
    for kind, options in KINDS.items():
        yield _cost(kind, Sampler(SamplingParams(**options)), rows, repeats)  # type: ignore[arg-type]
    if grammar is not None:
        yield _cost("grammar", Sampler(SamplingParams(), grammar), rows, repeats)


def made_up_rows(n_vocab: int) -> list[Logits]:
    """A normal bulk with a few likely tokens far above it, as models write them."""
    rng = np.random.default_rng(0)
    rows = rng.normal(0.0, 2.5, (_ROWS, n_vocab)).astype(np.float32)
    for row in rows:
        likely = rng.choice(n_vocab, min(20, n_vocab), replace=False)
        row[likely] = rng.normal(14.0, 3.0, len(likely))
    return list(rows)


def _cost(kind: str, sampler: Sampler, rows: list[Logits], repeats: int) -> RowCost:
    prompt = np.random.default_rng(1).integers(0, len(rows[0]), 8192)
    sampler.begin(prompt.astype(np.int32))
    seconds: list[float] = []
    for number in range(repeats + 1):
        start = perf_counter()
        sampler.pick(sampler.distribution(rows[number % len(rows)]))
        seconds.append(perf_counter() - start)
    # The first one also allocates.
    return RowCost(kind, median(seconds[1:]), max(seconds[1:]))


def table(costs: Iterator[RowCost]) -> Iterator[str]:
    """Lines of text."""
    yield f"{'a sampled row':<26} {'median':>9} {'worst':>9}"
    for cost in costs:
        yield f"{cost.kind:<26} {cost.median_s * 1e3:>6.3f} ms {cost.worst_s * 1e3:>6.3f} ms"


if __name__ == "__main__":
    for line in table(row_costs(int(sys.argv[1]) if len(sys.argv) > 1 else N_VOCAB)):
        sys.stdout.write(line + "\n")
