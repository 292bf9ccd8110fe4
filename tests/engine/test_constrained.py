"""A grammar's mask: the same as asking about the whole vocabulary first."""

import math

import numpy as np
import pytest

from localspec.engine.distribution import Ids, Mask
from localspec.engine.sampling import Sampler, SamplingParams
from localspec.errors import UsageError

VOCAB = 5000


class Allowing:
    """The same ids everywhere; counts how many it was asked about."""

    def __init__(self, ids: np.ndarray, ends: tuple[int, ...] = (0,)) -> None:
        self.ids, self.end_tokens = np.sort(ids), frozenset(ends)
        self.asked = 0

    def allowed(self, ids: Ids, ahead: object) -> Mask:
        self.asked += len(ids)
        return np.isin(ids, self.ids)

    def all_allowed(self, ahead: object) -> Ids:
        self.asked += VOCAB
        return self.ids

    def commit(self, tokens: object) -> None:
        pass

    def close(self) -> None:
        pass


def row(seed: int) -> np.ndarray:
    # Rounded, so that logits tie at the edge of top-k.
    return np.random.default_rng(seed).normal(0, 3, VOCAB).round(1).astype(np.float32)


@pytest.mark.parametrize("share", [0.0002, 0.002, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize(
    ("top_k", "top_p", "min_p"),
    [(0, 1, 0), (0, 1, 0.05), (0, 0.9, 0.05), (40, 0.95, 0.05), (1, 1, 0), (3000, 0.9, 0)],
)
def test_it_equals_masking_the_whole_row_first(
    share: float, temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    params = SamplingParams(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        allowed = rng.choice(VOCAB, max(1, int(share * VOCAB)), replace=False)
        masked = np.full(VOCAB, -math.inf, np.float32)
        masked[allowed] = row(seed)[allowed]
        drawn = Sampler(params, Allowing(allowed)).distribution(row(seed))
        expected = Sampler(params).distribution(masked)
        likely = expected.probs > 0
        assert drawn.ids.tolist() == expected.ids[likely].tolist()
        assert drawn.probs == pytest.approx(expected.probs[likely])


def test_free_text_asks_about_few() -> None:
    """Masking 152k ids took 50 ms a token."""
    grammar = Allowing(np.arange(VOCAB))
    Sampler(SamplingParams(), grammar).distribution(row(0))
    assert grammar.asked <= 128
    grammar.asked = 0
    Sampler(SamplingParams(temperature=0.0), grammar).distribution(row(0))
    assert grammar.asked == 1


@pytest.mark.parametrize("options", [{}, {"top_k": 0}, {"top_k": 0, "top_p": 1.0}])
def test_where_few_ids_may_follow_the_sure_ones_are_enough(options: dict[str, float]) -> None:
    """At a brace or a comma fewer than top-k are allowed, and everything was asked about."""
    logits = np.random.default_rng(0).normal(0, 1, VOCAB).astype(np.float32)
    logits[[5, 6]] = 20.0, 19.0
    grammar = Allowing(np.array([6, 7, 8, 9]))
    drawn = Sampler(SamplingParams(**options), grammar).distribution(logits)
    assert drawn.ids.tolist() == [6]
    assert grammar.asked <= 128


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_where_nothing_may_follow_the_reply_ends(temperature: float) -> None:
    """An empty grammar state ended the process (B42)."""
    params = SamplingParams(temperature=temperature)
    nothing = Allowing(np.array([], np.int64), ends=(7, 9))
    ends = row(0)[[7, 9]]
    assert Sampler(params, nothing).distribution(row(0)).ids.tolist() == [[7, 9][ends.argmax()]]
    with pytest.raises(UsageError, match="no token"):
        Sampler(params, Allowing(np.array([], np.int64), ends=())).distribution(row(0))


def test_a_bias_that_bans_all_that_the_grammar_allows_ends_the_reply() -> None:
    params = SamplingParams(logit_bias=((3, -math.inf), (4, -math.inf)))
    drawn = Sampler(params, Allowing(np.array([3, 4]), ends=(7,))).distribution(row(0))
    assert drawn.ids.tolist() == [7]
