"""Penalties and the logit bias: on exactly the committed tokens and those ahead."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from localspec.engine.sampling import Distribution, Sampler, SamplingParams
from localspec.errors import NativeFailure

VOCAB = 300
OPEN = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
PENALTIES = {"repeat_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.2}


def row(seed: int = 0, n_vocab: int = VOCAB) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 2.0, n_vocab).astype(np.float32)


def sampler(prompt: Sequence[int] = (), **params: object) -> Sampler:
    started = Sampler(SamplingParams(**(OPEN | params)))
    started.begin(prompt)
    return started


def slow(logits: np.ndarray, seen: Sequence[int], params: SamplingParams) -> np.ndarray:
    """The probabilities by the formulas written plainly, over the whole row."""
    last = params.repeat_last_n
    window = list(seen) if last < 0 else list(seen)[len(seen) - last if last < len(seen) else 0 :]
    values = [float(value) for value in logits]
    for token, count in Counter(window).items() if last != 0 else ():
        value = values[token]
        value = value * params.repeat_penalty if value <= 0 else value / params.repeat_penalty
        values[token] = value - count * params.frequency_penalty - params.presence_penalty
    for token, bias in params.logit_bias:
        values[token] += bias
    probs = np.exp(np.array(values) - max(values))
    return probs / probs.sum()


def spread(distribution: Distribution, n_vocab: int = VOCAB) -> np.ndarray:
    probs = np.zeros(n_vocab)
    probs[distribution.ids] = distribution.probs
    return probs


@pytest.mark.parametrize("last", [-1, 0, 1, 5, 64, 1000])
@pytest.mark.parametrize("bias", [(), ((3, 2.5), (7, -math.inf))])
def test_the_chain_equals_the_plain_one(last: int, bias: tuple[tuple[int, float], ...]) -> None:
    params = SamplingParams(**OPEN, **PENALTIES, repeat_last_n=last, logit_bias=bias)
    rng = np.random.default_rng(last + 10)
    prompt = rng.integers(0, VOCAB, 80).tolist()
    shaped = Sampler(params)
    shaped.begin(prompt)
    seen = list(prompt)
    for number in range(5):
        ahead = rng.integers(0, VOCAB, number).tolist()
        for length in range(number + 1):
            drawn = shaped.distribution(row(number), ahead[:length])
            expected = slow(row(number), seen + ahead[:length], params)
            assert spread(drawn) == pytest.approx(expected, rel=1e-4, abs=1e-9)
        shaped.commit(ahead[:2])
        seen += ahead[:2]


def test_only_commit_moves_the_state() -> None:
    """Rejected drafts were counted in the penalty history (B42)."""
    shaped = sampler([1, 2, 3], **PENALTIES)
    before = shaped.distribution(row())
    for ahead in ([5], [5, 6], [9, 9, 9], [5]):
        shaped.distribution(row(), ahead)
        shaped.draft_distribution(row(1), ahead)
    assert np.array_equal(shaped.distribution(row()).probs, before.probs)
    shaped.commit([5])
    assert shaped.distribution(row()).probability(5) < before.probability(5)


def test_accepted_drafts_are_counted_once() -> None:
    """Accepted drafts were recorded ahead and again on commit (B42)."""
    shaped, plain = sampler([1], frequency_penalty=1.0), sampler([1, 5, 6], frequency_penalty=1.0)
    shaped.distribution(row(), [5])
    shaped.distribution(row(), [5, 6])
    shaped.commit([5, 6])
    assert np.array_equal(shaped.distribution(row()).probs, plain.distribution(row()).probs)


def test_the_row_is_only_read() -> None:
    """A row is native memory: changed, it would be wrong for everyone behind."""
    logits = row()
    logits.setflags(write=False)
    shaped = sampler([1, 2], **PENALTIES, logit_bias=((4, -math.inf),))
    shaped.distribution(logits, [3])
    assert np.array_equal(logits, row())


def test_a_ban_holds_in_every_kind_of_truncation() -> None:
    """A banned id had probability 0 but could still be the last one drawn."""
    for options in ({}, {"top_k": VOCAB - 1}, {"top_p": 0.99}, {"min_p": 1e-9}):
        banned = sampler(
            logit_bias=tuple((token, -math.inf) for token in range(5, VOCAB)), **options
        )
        drawn = banned.distribution(row())
        assert set(drawn.ids.tolist()) <= set(range(5))
        assert drawn.probs.sum() == pytest.approx(1.0)


def test_a_bias_decides_greedily() -> None:
    best = int(row().argmax())
    banned = sampler(temperature=0.0, logit_bias=((best, -math.inf),))
    assert banned.distribution(row()).ids.tolist() == [int(np.argsort(-row())[1])]


def test_a_drafts_shorter_vocabulary_is_fine() -> None:
    shaped = sampler([298, 299, 3], **PENALTIES, logit_bias=((299, 5.0),))
    assert len(shaped.draft_distribution(row(n_vocab=250), [297]).ids) == 250
    assert len(shaped.distribution(row()).ids) == VOCAB


def test_a_row_with_every_token_banned_is_said() -> None:
    banned = sampler(logit_bias=tuple((token, -math.inf) for token in range(10)))
    with pytest.raises(NativeFailure, match="bans every token"):
        banned.draft_distribution(row(n_vocab=10))


def test_without_options_the_row_is_not_copied() -> None:
    """The neutral values must cost nothing: the logits stay where they are."""
    neutral = sampler([1, 2], repeat_last_n=-1)
    assert neutral._shaping.row(logits := row(), [3]) is logits
    disabled = sampler([1, 2], repeat_penalty=2.0, repeat_last_n=0)
    assert disabled._shaping.row(logits, [3]) is logits
