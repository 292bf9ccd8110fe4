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
from localspec.engine.evidence import NUM_PROBABILITY_BINS, probability_bin
from localspec.engine.interface import Drafter, Source
from localspec.engine.sampling import Sampler, SamplingParams

MakeFree = Callable[[Trace], list[Source]]
"""The free sources of a trace's prompt."""
_SMOOTHING = 2.0
"""Guesses at the source's mean rate that every row of evidence is given."""


def tables(traces: Sequence[Trace], make_free: MakeFree) -> dict[str, Any]:
    """Acceptance rates by source and evidence, and the flow of evidence: one regime's prior."""
    certain: dict[str, _Counts] = {"draft": _Counts(NUM_PROBABILITY_BINS)}
    drawn = {"draft": _Counts(NUM_PROBABILITY_BINS)}
    flow = np.full((NUM_STATES, NUM_PROBABILITY_BINS), 0.2)
    for trace in traces:
        bins = [probability_bin(prob) for prob in trace.probs]
        for at, evidence in enumerate(bins):
            certain["draft"].add(evidence, trace.certain[at])
            drawn["draft"].add(evidence, trace.drawn[at])
            for state in _states_before(trace, bins, at):
                flow[state, evidence] += 1.0
        for source, evidence, right in _free_guesses(trace, make_free):
            known = certain.setdefault(source.name, _Counts(source.num_evidence))
            known.add(evidence, float(right))
    return {
        "certain": {name: counts.rates() for name, counts in sorted(certain.items())},
        "drawn": {name: counts.rates() for name, counts in sorted(drawn.items())},
        "flow": [[round(share, 4) for share in row / row.sum()] for row in flow],
    }


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


def _states_before(trace: Trace, bins: list[int], at: int) -> list[int]:
    """The states in which the model would be asked for its guess at this position."""
    always = [start_state("plain"), start_state("free")]
    if at == 0:
        return always
    if trace.guesses[at - 1] == trace.reply[at - 1]:
        return [*always, bins[at - 1], start_state("accepted")]
    return [*always, start_state("rejected")]


def _free_guesses(trace: Trace, make_free: MakeFree) -> Iterator[tuple[Source, int, bool]]:
    """What each free source would say at every position of the reply."""
    text = np.array(trace.prompt + trace.reply, np.int32)
    sampler = Sampler(SamplingParams(temperature=0.0))
    for source in make_free(trace):
        for _ in source.prepare(text[: len(trace.prompt)]):
            pass
        for length in range(len(trace.prompt), len(text)):
            source.commit(text[:length])
            proposal = source.propose(text[:length], [], sampler)
            if proposal is not None:
                yield source, proposal.evidence, proposal.token == text[length]


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
    for decay, strength in product((0.97, 0.98, 0.99, 0.995), (4.0, 8.0, 16.0, 32.0)):
        memory = Memory(decay, strength)
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
