"""The stopping rule against a plain recursion, and what any good rule does."""

from functools import cache

import numpy as np
import pytest

from localspec.engine.estimates import NUM_STATES
from localspec.engine.evidence import NUM_PROBABILITY_BINS as BINS
from localspec.engine.stopping import StoppingRule

ACCEPTED = np.exp(-0.1 * np.arange(BINS, 0, -1))
"""Whole levels of survival, so that nothing is rounded."""
FLOW = np.random.default_rng(0).dirichlet(np.ones(BINS), NUM_STATES)
COSTS = np.array([0.0, 1.0, 1.9, 2.0, 1.7, 2.2, 2.3, 3.5, 3.6, 3.7])


def reference(rate: float, draft_s: float, most: int, survival: int, state: int) -> float:
    """The value of one more guess by definition; `survival` in levels."""

    @cache
    def go(k: int, level: int, at: int) -> float:
        if k == most:
            return -np.inf
        value = -rate * draft_s
        for evidence in range(BINS):
            after = level + BINS - evidence
            gain = np.exp(-0.1 * after)
            further = go(k + 1, after, evidence) if after < 36 else -np.inf
            kept = gain + max(-rate * COSTS[k + 2], further)
            value += FLOW[at, evidence] * max(kept, -rate * COSTS[k + 1])
        return value

    return go(0, survival, state)


@pytest.mark.parametrize("rate", [0.3, 0.8, 1.2])
@pytest.mark.parametrize("draft_s", [0.05, 0.3])
@pytest.mark.parametrize("state", [0, BINS - 1, NUM_STATES - 1])
def test_the_induction_equals_its_definition(rate: float, draft_s: float, state: int) -> None:
    rule = StoppingRule(rate, COSTS, draft_s, ACCEPTED, FLOW, 6)
    for level in (0, 3, 11):
        expected = reference(rate, draft_s, 6, level, state)
        assert rule.go(0, float(np.exp(-0.1 * level)), state) == pytest.approx(expected)


def rule(accepted: float, draft_s: float, costs: np.ndarray, rate: float = 1.0) -> StoppingRule:
    return StoppingRule(rate, costs, draft_s, np.full(BINS, accepted), FLOW, 8)


def test_nothing_is_drafted_when_nothing_pays() -> None:
    dear = np.arange(10.0)
    assert rule(0.99, 0.1, dear).go(0, 1.0, 0) < rule(0.99, 0.1, dear).stop[0]
    cheap = 1.0 + 0.01 * np.arange(-1.0, 9.0)
    assert rule(0.05, 0.3, cheap).go(0, 1.0, 0) < rule(0.05, 0.3, cheap).stop[0]


def test_a_good_draft_goes_on_until_its_survival_is_spent() -> None:
    cheap = 1.0 + 0.05 * np.arange(-1.0, 9.0)
    good = rule(0.9, 0.1, cheap)
    assert good.go(0, 1.0, 0) > good.stop[0]
    assert good.go(4, 0.6, 0) > good.stop[4]
    assert good.go(4, 0.05, 0) < good.stop[4]
    assert good.go(8, 1.0, 0) == -np.inf


def test_a_dear_size_is_stepped_over() -> None:
    """A rule that looks one token ahead stops before a pass of two, which costs almost two."""
    steps = np.array([0.0, 1.0, 1.95, 1.97, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    patient = rule(0.97, 0.02, steps)
    assert patient.go(0, 1.0, 0) > patient.stop[0]


def test_without_a_model_only_stopping_is_left() -> None:
    alone = StoppingRule(1.0, COSTS, None, ACCEPTED, FLOW, 8)
    assert alone.go(0, 1.0, 0) == -np.inf
    assert alone.best(2, 1.0, 0) == -2.0


def test_a_draft_ends_only_in_sizes_that_may_be_passed() -> None:
    """Every new size of a pass made the GPU capture another graph."""
    cheap = 1.0 + 0.05 * np.arange(-1.0, 9.0)
    few = StoppingRule(1.0, cheap, 0.1, np.full(BINS, 0.9), FLOW, 8, frozenset((1, 2, 4, 8)))
    assert [k for k in range(8) if few.stop[k] > -100.0] == [0, 1, 3, 7]
    assert few.go(2, 0.8, 0) > few.stop[2]
    free = StoppingRule(1.0, cheap, 0.1, np.full(BINS, 0.9), FLOW, 8)
    assert few.go(0, 1.0, 0) <= free.go(0, 1.0, 0)
