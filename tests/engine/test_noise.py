"""Random numbers by place: fair draws, and the same whatever was drafted."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from localspec.engine.distribution import Distribution, point_mass
from localspec.engine.noise import _LONGEST, Noise, _uniform, coupling


def dist(ids: list[int], probs: list[float]) -> Distribution:
    return Distribution(np.array(ids), np.array(probs))


FIRST = dist([3, 7, 9, 20], [0.5, 0.3, 0.15, 0.05])
SECOND = dist([3, 7, 11, 20], [0.3, 0.4, 0.2, 0.1])


def picks(distribution: Distribution, seeds: int = 50, places: int = 400) -> np.ndarray:
    noises = [Noise(seed) for seed in range(seeds)]
    return np.array([noise.pick(distribution, n) for noise in noises for n in range(places)])


def test_picks_are_fair_over_places_and_seeds() -> None:
    drawn = picks(FIRST)
    counts = [int((drawn == token).sum()) for token in FIRST.ids]
    assert chisquare(counts, FIRST.probs * len(drawn)).pvalue > 0.001


def test_picks_at_neighbouring_places_are_independent() -> None:
    """Noise that depends on the sum of place and id repeats itself one place on."""
    flat = dist(list(range(8)), [0.125] * 8)
    drawn = picks(flat)
    pairs = drawn[:-1] * 8 + drawn[1:]
    assert chisquare(np.bincount(pairs, minlength=64)).pvalue > 0.001


def test_a_long_list_is_drawn_fairly_too() -> None:
    size = _LONGEST + 1000
    flat = Distribution(np.arange(size), np.full(size, 1 / size))
    assert kstest(picks(flat, 10, 200) / size, "uniform").pvalue > 0.001


def test_the_noise_is_uniform_and_never_ends_in_an_infinity() -> None:
    assert 0.0 < _uniform(np.array([0], np.uint64))[0] < 1.0
    assert 0.0 < _uniform(np.array([2**64 - 1], np.uint64))[0] < 1.0


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1, 2**63, 2**64 - 1, 2**80])
def test_any_seed_repeats(seed: int) -> None:
    assert [Noise(seed).pick(FIRST, n) for n in range(20)] == [
        Noise(seed).pick(FIRST, n) for n in range(20)
    ]


def test_both_pick_the_same_as_often_as_the_formula_says() -> None:
    same = float((picks(FIRST) == picks(SECOND)).mean())
    assert same == pytest.approx(coupling(FIRST, SECOND), abs=0.015)


def test_coupling_of_equals_and_strangers() -> None:
    assert coupling(FIRST, FIRST) == pytest.approx(1.0)
    assert coupling(point_mass(3), point_mass(4)) == 0.0
    assert coupling(point_mass(3), FIRST) == pytest.approx(0.5)
    # Of two candidates, shared noise loses nothing against the best possible, 1 - |0.7 - 0.6|.
    assert coupling(dist([1, 2], [0.7, 0.3]), dist([1, 2], [0.6, 0.4])) == pytest.approx(0.9)
