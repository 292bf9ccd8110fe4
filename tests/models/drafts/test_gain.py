"""The pure part: what a draft gains by its size, its acceptance and the costs of passes."""

import pytest

from localspec.engine.costs import CostTable
from localspec.models.drafts.gain import (
    MEMORY_BOUND,
    acceptance_guess,
    estimated_costs,
    expected_gain,
)

FLAT = {1: 1.0, 33: 1.0}


def test_acceptance_meets_what_was_measured() -> None:
    """Ours, and LaMDA's three of Leviathan et al., within three points."""
    assert acceptance_guess(0.32, "paired") == pytest.approx(0.80, abs=0.001)
    for billions, rate in ((0.1, 0.61), (2.0, 0.71), (8.0, 0.75)):
        assert acceptance_guess(billions / 137, "paired") == pytest.approx(rate, abs=0.03)


def test_acceptance_falls_with_distance_and_stays_a_rate() -> None:
    guesses = [acceptance_guess(0.1, kin) for kin in ("paired", "family", "stranger")]
    assert guesses == sorted(guesses, reverse=True)
    assert len(set(guesses)) == 3
    assert 0.0 < acceptance_guess(0.0, "stranger") <= acceptance_guess(1e9, "paired") < 1.0
    assert 0.0 < acceptance_guess(None, "stranger") < 1.0


def test_the_gain_is_that_of_the_best_length() -> None:
    """With free guesses and a flat target each guess adds its survival: 1 + a + a² + ..."""
    costs = CostTable(FLAT, {1: 1e-9}, 33)
    gain = expected_gain(costs, 0.5, is_measured=True)
    assert gain.num_draft_tokens == 16
    assert gain.speedup == pytest.approx(2.0, abs=0.001)
    assert gain.pays and gain.can_pay and gain.is_measured


def test_a_smaller_draft_gains_more_at_equal_acceptance() -> None:
    by_ratio = [
        expected_gain(estimated_costs(ratio, MEMORY_BOUND), 0.75, is_measured=False).speedup
        for ratio in (0.02, 0.1, 0.3, 0.9)
    ]
    assert by_ratio == sorted(by_ratio, reverse=True)
    assert by_ratio[0] > 2.0
    assert by_ratio[-1] < 1.0


def test_a_loss_is_said_as_one() -> None:
    """Where a pass of two tokens costs two, no draft pays; the figure must be below 1, not 1."""
    steep = {1: 1.0, 2: 2.0, 33: 33.0}
    gain = expected_gain(estimated_costs(0.3, steep), 0.8, is_measured=False)
    assert gain.speedup < 1.0
    assert not gain.pays and not gain.can_pay
