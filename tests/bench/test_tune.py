"""What the tuner counts, on a trace made by hand."""

import numpy as np
import pytest

from localspec.bench import tuning
from localspec.bench.forecast import free_sources
from localspec.bench.trace import Trace
from localspec.bench.tune import _SMOOTHING, Tried, tables
from localspec.bench.tuning import tune
from localspec.drafters import predicted
from localspec.engine.costs import CostTable
from localspec.engine.estimates import NUM_STATES, STARTS, Experience, start_state
from localspec.engine.evidence import NUM_MODEL_EVIDENCE, NUM_PROBABILITY_BINS, probability_bin
from localspec.errors import UsageError
from tests.bench.test_simulate import traces_of

REPLY = [10, 11, 12, 13]
TRACE = Trace(
    "a", 0.0, [1, 2], REPLY, [10, 9, 12, 8],
    probs=[0.999, 0.85, 0.999, 0.3], certain=[1.0, 0.0, 1.0, 0.0], drawn=[0.9, 0.2, 0.9, 0.1],
)  # fmt: skip
SURE, LIKELY, UNSURE = (probability_bin(p) for p in (0.999, 0.85, 0.3))


def rates_of(counts: dict[int, tuple[float, int]], rows: int) -> list[float]:
    """(accepted, tested) by row, and some guesses at the mean in every row."""
    accepted = sum(a for a, _ in counts.values())
    tested = sum(n for _, n in counts.values())
    mean = (accepted + 0.5) / (tested + 1.0)
    none = (0.0, 0)
    return [
        (counts.get(row, none)[0] + _SMOOTHING * mean) / (counts.get(row, none)[1] + _SMOOTHING)
        for row in range(rows)
    ]


def test_acceptance_is_counted_by_evidence() -> None:
    found = tables([TRACE], lambda trace: [])
    certain = rates_of({SURE: (2.0, 2), LIKELY: (0.0, 1), UNSURE: (0.0, 1)}, NUM_MODEL_EVIDENCE)
    drawn = rates_of({SURE: (1.8, 2), LIKELY: (0.2, 1), UNSURE: (0.1, 1)}, NUM_MODEL_EVIDENCE)
    assert found["certain"] == {"draft": pytest.approx(certain, abs=1e-4)}
    assert found["drawn"] == {"draft": pytest.approx(drawn, abs=1e-4)}


def test_the_flow_of_evidence_is_counted_by_what_came_before() -> None:
    flow = np.array(tables([TRACE], lambda trace: [])["flow"])
    assert flow.shape == (NUM_STATES, NUM_MODEL_EVIDENCE)
    assert flow.sum(axis=1) == pytest.approx(1.0, abs=0.01)
    total = 0.05 * NUM_MODEL_EVIDENCE
    # Asked afresh everywhere; behind an accepted guess at 1 and 3, a rejected one at 2.
    seen = {
        "plain": {SURE: 2, LIKELY: 1, UNSURE: 1},
        "free": {SURE: 2, LIKELY: 1, UNSURE: 1},
        "accepted": {LIKELY: 1, UNSURE: 1},
        "rejected": {SURE: 1},
        "copying": {},
    }
    assert set(seen) == set(STARTS)
    states = {start_state(name): rows for name, rows in seen.items()}
    # In the same draft a guess follows an accepted one only.
    states |= {SURE: {LIKELY: 1, UNSURE: 1}, LIKELY: {}}
    for state, rows in states.items():
        expected = np.full(NUM_MODEL_EVIDENCE, 0.05)
        for row, count in rows.items():
            expected[row] += count
        assert flow[state] == pytest.approx(expected / (total + sum(rows.values())), abs=1e-4)


def test_what_a_likely_free_source_says_is_evidence_for_the_model() -> None:
    told = Trace(
        **{name: getattr(TRACE, name) for name in Trace.__slots__} | {"predicted": [REPLY]}
    )
    found = tables([told], free_sources)
    assert set(found["certain"]) == {"draft", "predicted"}
    assert len(found["certain"]["predicted"]) == predicted.NUM_EVIDENCE
    shares, contradicts = NUM_PROBABILITY_BINS, 2 * NUM_PROBABILITY_BINS
    counts = {
        shares + SURE: (2.0, 2), contradicts + LIKELY: (0.0, 1), contradicts + UNSURE: (0.0, 1)
    }  # fmt: skip
    expected = rates_of(counts, NUM_MODEL_EVIDENCE)
    assert found["certain"]["draft"] == pytest.approx(expected, abs=1e-4)
    flow = np.array(found["flow"])
    assert flow[start_state("plain")] == pytest.approx(1 / NUM_MODEL_EVIDENCE, abs=1e-3)
    assert flow[start_state("copying"), shares + SURE] > 0.3


def test_tables_make_an_experience() -> None:
    found = tables(traces_of(0.0), free_sources)
    assert Experience.from_prior(found).flow.shares.shape == (NUM_STATES, NUM_MODEL_EVIDENCE)


def told(temperature: float) -> list[Trace]:
    return [
        Trace(
            **{name: getattr(trace, name) for name in Trace.__slots__}
            | {"predicted": [trace.reply]}
        )
        for trace in traces_of(temperature, 2)
    ]


def test_the_tuner_tries_every_memory_and_makes_the_prior_with_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costs = {"gpu": CostTable({1: 1.0, 33: 2.0}, {1: 0.1}, 33)}
    monkeypatch.setattr(tuning, "shipped", lambda: costs)
    *tried, prior = tune([*told(0.0), *told(1.0)])
    best = max((each for each in tried if isinstance(each, Tried)), key=lambda each: each.speedup)
    assert len(tried) > 4
    assert isinstance(prior, dict)
    assert set(prior) == {"memory", "greedy", "sampled"}
    assert prior["memory"]["decay"] == best.memory.decay
    assert prior["memory"]["strength"] == best.memory.strength
    assert set(prior["greedy"]["certain"]) == {"draft", "predicted", "suffix"}


def test_the_tuner_needs_both_kinds_and_every_source() -> None:
    with pytest.raises(UsageError, match="greedy and sampled"):
        list(tune(traces_of(0.0)))
    ones = [1.0] * 2
    silent = [
        Trace("a", temperature, [0], [1, 2], [1, 2], ones, ones, ones)
        for temperature in (0.0, 0.0, 1.0, 1.0)
    ]
    with pytest.raises(UsageError, match="never says anything"):
        list(tune(silent))
