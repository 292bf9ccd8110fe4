"""The sampling chain: temperature, top-k, top-p, min-p."""

import numpy as np
import pytest

from localspec.engine.sampling import Distribution, Sampler, SamplingParams
from localspec.errors import NativeFailure, UsageError

OPEN = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}


def distribution(logits: list[float] | np.ndarray, **params: float) -> Distribution:
    chain = SamplingParams(**(OPEN | params))
    return Sampler(chain).distribution(np.array(logits, np.float32))


def slow(logits: np.ndarray, temperature: float, top_k: int, top_p: float, min_p: float) -> dict:
    """The chain written plainly, over the whole row."""
    probs = np.exp((logits - logits.max()).astype(np.float64) / temperature)
    order = np.argsort(-logits, kind="stable")
    order = order[:top_k] if top_k else order
    mass, kept = 0.0, []
    for token in order:
        if mass < top_p * probs[order].sum():
            kept.append(token)
        mass += probs[token]
    kept = [token for token in kept if probs[token] >= min_p * probs.max()]
    total = probs[kept].sum()
    return {int(token): probs[token] / total for token in kept}


@pytest.mark.parametrize("size", [4, 1000, 20_000])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize(
    ("top_k", "top_p", "min_p"),
    [
        (0, 1, 0),
        (40, 1, 0),
        (0, 0.9, 0),
        (0, 1, 0.1),
        (40, 0.9, 0.05),
        (3, 0.5, 0.5),
        (0, 0.8, 0.1),
    ],
)
def test_the_chain_equals_the_plain_one(
    size: int, temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    logits = np.random.default_rng(size).normal(0, 3, size).astype(np.float32)
    params = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
    quick = distribution(logits, **params)
    expected = slow(logits, **params)
    assert sorted(expected) == quick.ids.tolist()
    assert quick.probs == pytest.approx([expected[int(token)] for token in quick.ids])
    assert quick.probs.sum() == pytest.approx(1.0)


def test_equal_logits_at_the_edge_of_top_k_keep_the_lower_ids() -> None:
    assert distribution([1.0, 2.0, 1.0, 1.0], top_k=2).ids.tolist() == [0, 1]
    flat = np.zeros(20_000, np.float32)
    assert distribution(flat, top_k=40).ids.tolist() == list(range(40))


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_output_that_is_not_finite_is_said(temperature: float, bad: float) -> None:
    """A damaged file's NaN was drawn from, or failed deep inside numpy."""
    with pytest.raises(NativeFailure, match="not finite"):
        distribution([0.0, bad, 1.0], temperature=temperature)


def test_a_temperature_too_small_to_divide_by_is_greedy() -> None:
    """1e-320 made every logit infinite."""
    assert distribution([0.0, 2.0, 1.0], temperature=1e-320).ids.tolist() == [1]


def test_a_temperature_of_zero_is_greedy() -> None:
    greedy = distribution([0.5, 3.0, 2.9], temperature=0.0, top_p=0.1)
    assert greedy.ids.tolist() == [1]
    assert greedy.sample(np.random.default_rng(0)) == 1


def test_a_tiny_temperature_does_not_overflow() -> None:
    assert distribution([0.0, 80.0, -80.0], temperature=1e-3).probs.tolist()[1] == 1.0


def test_draws_follow_the_probabilities() -> None:
    row = distribution(np.log([0.1, 0.2, 0.7]))
    rng = np.random.default_rng(0)
    drawn = np.bincount([row.sample(rng) for _ in range(20_000)], minlength=3) / 20_000
    assert drawn == pytest.approx([0.1, 0.2, 0.7], abs=0.015)


def test_probability_of_an_absent_id_is_zero() -> None:
    row = distribution([0.0, 5.0, 1.0], top_k=2)
    assert row.probability(0) == 0.0
    assert row.probability(1) > 0.9
    assert row.probability(99) == 0.0


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": -0.1},
        {"temperature": 11},
        {"temperature": float("nan")},
        {"top_k": -1},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"min_p": -0.1},
        {"min_p": 2},
        {"seed": -1},
        {"max_tokens": 0},
        {"stop": ("",)},
    ],
)
def test_a_value_out_of_range_is_refused_in_a_sentence(values: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"must (not )?be"):
        SamplingParams(**values)
