"""Acceptance is a pure function of draft, target and random numbers."""

import numpy as np
import pytest

from localspec.engine.acceptance import accept, residual
from localspec.engine.interface import Draft, Guess
from localspec.engine.noise import Noise
from localspec.engine.sampling import Distribution, point_mass


def dist(**probs: float) -> Distribution:
    ids = np.array([int(name[1:]) for name in probs])
    return Distribution(ids, np.array(list(probs.values())))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def best(target: Distribution, position: int) -> int:
    return int(target.ids[target.probs.argmax()])


def certain(*tokens: int) -> Draft:
    return Draft(tuple(Guess(token) for token in tokens))


def test_an_undrawn_guess_is_a_point_mass_whatever_its_source_offered() -> None:
    """Accepting the likeliest token with the ratio of the source's softmax is biased."""
    offered = dist(t1=0.5, t2=0.5)
    target = dist(t1=0.25, t2=0.75)
    draft = Draft((Guess(1, probs=offered),))
    draws = [
        accept(draft, lambda _: target, Noise(s).pick, np.random.default_rng(s))[0]
        for s in range(2000)
    ]
    assert abs(sum(draws) / 2000 - 0.25) < 0.04


def test_greedy_accepts_equal_tokens_and_recovers_at_the_first_other() -> None:
    target = [point_mass(3), point_mass(4), point_mass(5)]
    assert accept(certain(3, 4), lambda i: target[i], best, rng()) == (2, 5)
    assert accept(certain(3, 9), lambda i: target[i], best, rng()) == (1, 4)
    assert accept(certain(9, 4), lambda i: target[i], best, rng()) == (0, 3)
    assert accept(Draft(), lambda i: target[i], best, rng()) == (0, 3)


def test_the_target_is_not_asked_beyond_the_first_rejection() -> None:
    asked: list[int] = []

    def target(position: int) -> Distribution:
        asked.append(position)
        return point_mass(1)

    accept(certain(1, 2, 1, 1), target, best, rng())
    assert asked == [0, 1]


def test_the_residual_of_a_certain_draft_is_the_target_without_it() -> None:
    left = residual(dist(t1=0.5, t2=0.3, t3=0.2), point_mass(1))
    assert left.probs == pytest.approx([0.0, 0.6, 0.4])


def test_the_residual_pairs_ids_not_indices() -> None:
    """Subtracting by index after sorting took the wrong token's probability away."""
    left = residual(dist(t1=0.5, t7=0.5), dist(t0=0.5, t7=0.25, t9=0.25))
    assert left.probs == pytest.approx([2 / 3, 1 / 3])


def test_equal_distributions_always_accept() -> None:
    same = dist(t1=0.5, t2=0.5)
    for seed in range(50):
        draft = Draft((Guess(1, probs=same, drawn=True), Guess(2, probs=same, drawn=True)))
        assert accept(draft, lambda _: same, Noise(seed).pick, np.random.default_rng(seed))[0] == 2
    assert residual(same, same).probs == pytest.approx([0.5, 0.5])


def test_a_token_outside_the_targets_support_is_never_accepted() -> None:
    for seed in range(50):
        draft = Draft((Guess(9, probs=dist(t2=0.5, t9=0.5), drawn=True),))
        accepted, token = accept(
            draft, lambda _: dist(t1=0.5, t2=0.5), Noise(seed).pick, np.random.default_rng(seed)
        )
        assert (accepted, token) in ((0, 1), (0, 2))
