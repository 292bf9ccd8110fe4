"""Sampled replies are distributed as the target alone would write them (B41)."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.drafters.predicted import PredictedSource
from localspec.drafters.suffix import SuffixSource
from localspec.engine import engine as engine_module
from localspec.engine.acceptance import Pick
from localspec.engine.controller import AdaptiveDrafter
from localspec.engine.costs import CostTable
from localspec.engine.engine import Engine
from localspec.engine.interface import Draft, Drafter, Limits, Round
from localspec.engine.sampling import Distribution, SamplingParams
from tests.engine.test_controller import experience
from tests.fakes import FakeDecoder, Rule, ScriptedSource

DRAWS = 50_000
SAMPLING = {
    "whole": {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0},
    "truncated": {"temperature": 0.8, "top_k": 12, "top_p": 0.9, "min_p": 0.05},
}


def markov(n_vocab: int, kind: str) -> Rule:
    """Logits by the last token's parity; `bad` is flat, `adversarial` likes what the target
    doesn't, `good` is the target with a little noise."""
    rng = np.random.default_rng(n_vocab)
    target = rng.normal(0.0, 1.2, (2, n_vocab))
    rows = {
        "target": target,
        "good": target + rng.normal(0.0, 0.3, target.shape),
        "bad": np.zeros_like(target),
        "adversarial": -2.0 * target,
    }[kind].astype(np.float32)
    return lambda prefix: rows[prefix[-1] % 2]


def longer(n_vocab: int) -> Rule:
    """A draft whose padded vocabulary has likely ids that the target lacks."""
    rows = np.array(
        [np.append(markov(n_vocab, "good")((n,)), [2.0, 3.0]) for n in range(2)], np.float32
    )
    return lambda prefix: rows[prefix[-1] % 2]


def drafter(n_vocab: int, kind: str) -> Drafter:
    if kind == "longer":
        source = ModelSource(FakeDecoder(longer(n_vocab), n_vocab + 2), n_vocab)
        return FixedDrafter(source, 3)
    if kind == "adaptive":
        costs = CostTable({1: 1.0, 33: 1.3}, {1: 0.05, 33: 0.1}, 33)
        model = ModelSource(FakeDecoder(markov(n_vocab, "good"), n_vocab))
        free = ScriptedSource(lambda prefix: [(prefix[-1] + 1) % n_vocab, 0, 1], "suffix")
        return AdaptiveDrafter(model, [free], costs, experience(0.6))
    if kind == "certain":
        source = ScriptedSource(lambda prefix: [(prefix[-1] + 1) % n_vocab, 0, 1])
        return FixedDrafter(source, 3)
    if kind == "suffix":
        return FixedDrafter(SuffixSource(), 3)
    if kind == "predicted":
        return FixedDrafter(PredictedSource([[*range(n_vocab)] * 3]), 3)
    return FixedDrafter(ModelSource(FakeDecoder(markov(n_vocab, kind), n_vocab)), 3)


def counts(
    n_vocab: int, source: Drafter, sampling: str, seed: int, draws: int = DRAWS
) -> np.ndarray:
    """How often each token followed an even and an odd one, (2, n_vocab)."""
    engine = Engine(FakeDecoder(markov(n_vocab, "target"), n_vocab, n_ctx=160))
    table = np.zeros((2, n_vocab))
    for reply in range(draws // 100):
        params = SamplingParams(**SAMPLING[sampling], seed=seed + reply)
        before = 1
        for event in engine.generate([1], params, Limits(max_tokens=100), source):
            for token in event.tokens if isinstance(event, Round) else ():
                table[before % 2, token] += 1
                before = token
    return table


def p_value(first: np.ndarray, second: np.ndarray) -> float:
    """The smaller p-value of the two-sample chi-square tests after even and odd tokens."""
    values = []
    for one, other in zip(first, second, strict=True):
        seen = one + other > 0
        values.append(chi2_contingency([one[seen], other[seen]]).pvalue)
    return float(min(values))


_PLAIN: dict[tuple[int, str], np.ndarray] = {}


def plain(n_vocab: int, sampling: str) -> np.ndarray:
    key = (n_vocab, sampling)
    if key not in _PLAIN:
        _PLAIN[key] = counts(n_vocab, NoDrafter(), sampling, seed=1_000_000)
    return _PLAIN[key]


@pytest.mark.parametrize("n_vocab", [4, 50])
@pytest.mark.parametrize("kind", ["good", "bad", "adversarial", "certain", "suffix", "predicted"])
def test_speculative_draws_equal_plain_draws(n_vocab: int, kind: str) -> None:
    drawn = counts(n_vocab, drafter(n_vocab, kind), "whole", seed=0)
    assert p_value(drawn, plain(n_vocab, "whole")) > 0.001


@pytest.mark.parametrize("kind", ["good", "adversarial"])
def test_truncation_keeps_the_distribution(kind: str) -> None:
    drawn = counts(50, drafter(50, kind), "truncated", seed=0, draws=20_000)
    expected = plain(50, "truncated")
    assert p_value(drawn, expected) > 0.001
    assert not np.any(drawn[expected == 0])


def biased_accept(
    draft: Draft, target: Callable[[int], Distribution], pick: Pick, rng: np.random.Generator
) -> tuple[int, int]:
    """What some guides publish: accept with the target's probability, resample from the target."""
    for position, token in enumerate(draft.tokens):
        if rng.random() >= target(position).probability(token):
            return position, target(position).sample(rng)
    return len(draft.tokens), target(len(draft.tokens)).sample(rng)


@pytest.mark.parametrize("n_vocab", [4, 50])
def test_the_test_sees_a_biased_acceptance(n_vocab: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "accept", biased_accept)
    drawn = counts(n_vocab, drafter(n_vocab, "good"), "whole", seed=0)
    assert p_value(drawn, plain(n_vocab, "whole")) < 1e-6
