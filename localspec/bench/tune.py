"""The tuner: what the controller starts from, counted on traces, and how fast it should forget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from statistics import geometric_mean
from typing import Any

import numpy as np

from localspec.bench.simulate import SimulatedClock, TraceSource, simulate
from localspec.bench.trace import Trace
from localspec.drafters.none import NoDrafter
from localspec.engine.controller import AdaptiveDrafter
from localspec.engine.costs import CostTable
from localspec.engine.estimates import NUM_STATES, Experience, Memory, start_state
from localspec.engine.evidence import (
    LIKELY,
    NUM_MODEL_EVIDENCE,
    model_evidence,
    probability_bin,
)
from localspec.engine.interface import Drafter, Proposal, Source
from localspec.engine.sampling import Sampler, SamplingParams

MakeFree = Callable[[Trace], list[Source]]
"""The free sources of a trace's prompt."""
_SMOOTHING = 6.0
"""Guesses at the source's mean rate that every row of evidence is given."""


def tables(traces: Sequence[Trace], make_free: MakeFree) -> dict[str, Any]:
    """Acceptance rates by source and evidence, and the flow of evidence: one regime's prior."""
    heard = [list(_free_guesses(trace, make_free)) for trace in traces]
    certain: dict[str, _Counts] = {}
    for trace, places in zip(traces, heard, strict=True):
        for token, guesses in zip(trace.reply, places, strict=True):
            for name, rows, proposal in guesses:
                known = certain.setdefault(name, _Counts(rows))
                known.add(proposal.evidence, float(proposal.token == token))
    rates = {name: counts.rates() for name, counts in certain.items()}
    model, drawn = _Counts(NUM_MODEL_EVIDENCE), _Counts(NUM_MODEL_EVIDENCE)
    flow = np.full((NUM_STATES, NUM_MODEL_EVIDENCE), 0.05)
    for trace, places in zip(traces, heard, strict=True):
        best = [_likeliest(guesses, rates) for guesses in places]
        evidence = [
            model_evidence(probability_bin(prob), guess, free)
            for prob, guess, free in zip(trace.probs, trace.guesses, best, strict=True)
        ]
        for at, row in enumerate(evidence):
            model.add(row, trace.certain[at])
            drawn.add(row, trace.drawn[at])
            for state in _states_before(trace, evidence, at, best[at]):
                flow[state, row] += 1.0
    return {
        "certain": {"draft": model.rates()} | {name: rates[name] for name in sorted(rates)},
        "drawn": {"draft": drawn.rates()},
        "flow": [[round(share, 4) for share in row / row.sum()] for row in flow],
    }


def _likeliest(
    guesses: list[_FreeGuess], rates: Mapping[str, Sequence[float]]
) -> tuple[int, float] | None:
    known = [(proposal.token, rates[name][proposal.evidence]) for name, _, proposal in guesses]
    return max(known, key=lambda guess: guess[1], default=None)


class _Counts:
    """Accepted and tested guesses by row of evidence."""

    def __init__(self, rows: int) -> None:
        self._accepted, self._tested = np.zeros(rows), np.zeros(rows)

    def add(self, row: int, accepted: float) -> None:
        self._accepted[row] += accepted
        self._tested[row] += 1.0

    def rates(self) -> list[float]:
        mean = (self._accepted.sum() + 0.5) / (self._tested.sum() + 1.0)
        rates = (self._accepted + _SMOOTHING * mean) / (self._tested + _SMOOTHING)
        return [round(float(rate), 4) for rate in rates]


def _states_before(
    trace: Trace, rows: list[int], at: int, free: tuple[int, float] | None
) -> list[int]:
    """The states in which the model would be asked for its guess at this position."""
    starts = ["plain", "free"]
    going_on = []
    if at > 0 and trace.guesses[at - 1] == trace.reply[at - 1]:
        starts.append("accepted")
        going_on = [rows[at - 1]]
    elif at > 0:
        starts.append("rejected")
    if free is not None and free[1] >= LIKELY:
        starts = ["copying"]
    return going_on + [start_state(start) for start in starts]


_FreeGuess = tuple[str, int, Proposal]
"""A source's name, its number of rows, and what it says."""


def _free_guesses(trace: Trace, make_free: MakeFree) -> Iterator[list[_FreeGuess]]:
    """What the free sources would say at each position of the reply."""
    text = np.array(trace.prompt + trace.reply, np.int32)
    sampler = Sampler(SamplingParams(temperature=0.0))
    sources = make_free(trace)
    for source in sources:
        for _ in source.prepare(text[: len(trace.prompt)]):
            pass
    for length in range(len(trace.prompt), len(text)):
        guesses = []
        for source in sources:
            source.commit(text[:length])
            proposal = source.propose(text[:length], [], sampler)
            if proposal is not None:
                guesses.append((source.name, source.num_evidence, proposal))
        yield guesses


@dataclass(frozen=True, slots=True)
class Tried:
    """One way to remember, and the speed-up that it gave, geometric mean over all."""

    memory: Memory
    speedup: float


def search(
    traces: Sequence[Trace], costs: Mapping[str, CostTable], make_free: MakeFree
) -> Iterator[Tried]:
    """Every way on every cost table. Half of the traces gives the prior that the other half is
    replayed with, both ways round, so that a table that only knows its own prompts gains nothing.
    """
    halves = (list(traces[::2]), list(traces[1::2]))
    priors = [tables(half, make_free) for half in halves]
    for decay, strength, step in product((0.98, 0.99, 0.995), (8.0, 16.0, 32.0), (0.2, 0.4)):
        memory = Memory(decay, strength, step)
        speedups = [
            speedup
            for half, prior in zip(halves, reversed(priors), strict=True)
            for table in costs.values()
            for speedup in speedups_of(half, table, prior, memory, make_free)
        ]
        yield Tried(memory, geometric_mean(speedups))


def speedups_of(
    traces: Sequence[Trace],
    costs: CostTable,
    prior: dict[str, Any],
    memory: Memory,
    make_free: MakeFree,
) -> list[float]:
    """The adaptive drafter against plain decoding, trace by trace; experience is kept between."""
    plain = [result.rate for result in simulate(traces, costs, lambda trace, clock: NoDrafter())]
    experience = Experience.from_prior(prior, memory)

    def adaptive(trace: Trace, clock: SimulatedClock) -> Drafter:
        model = TraceSource(trace, clock)
        return AdaptiveDrafter(model, make_free(trace), costs, experience, clock=clock)

    adapted = simulate(traces, costs, adaptive)
    return [mine.rate / base for mine, base in zip(adapted, plain, strict=True)]


def prior_file(
    greedy: Sequence[Trace], sampled: Sequence[Trace], memory: Memory, make_free: MakeFree
) -> dict[str, Any]:
    """What `engine/prior.json` holds."""
    return {
        "memory": asdict(memory),
        "greedy": tables(greedy, make_free),
        "sampled": tables(sampled, make_free),
    }
