"""Repetitions of the prompt, the reply and other texts."""

import random

import numpy as np
import pytest

from localspec.drafters.suffix import NUM_EVIDENCE, SuffixSource, evidence
from localspec.engine.interface import Proposal
from localspec.engine.sampling import Sampler, SamplingParams

GREEDY = Sampler(SamplingParams(temperature=0.0))


def ids(*tokens: int) -> np.ndarray:
    return np.array(tokens, np.int32)


def guesses(source: SuffixSource, tokens: np.ndarray, most: int = 8) -> list[Proposal]:
    """What the source says when it is asked again and again."""
    made: list[Proposal] = []
    while len(made) < most:
        proposal = source.propose(tokens, [guess.token for guess in made], GREEDY)
        if proposal is None:
            break
        made.append(proposal)
    return made


def test_the_longest_match_goes_on() -> None:
    tokens = ids(1, 2, 3, 4, 9, 3, 5, 1, 2, 3)
    assert [guess.token for guess in guesses(SuffixSource(), tokens, 4)] == [4, 9, 3, 5]


def test_no_match_no_idea() -> None:
    assert guesses(SuffixSource(), ids(1, 2, 3)) == []
    assert guesses(SuffixSource(), ids(1)) == []


def test_other_texts_are_not_joined() -> None:
    source = SuffixSource([[5, 6], [7, 8]])
    assert [guess.token for guess in guesses(source, ids(1, 5))] == [6]
    assert [guess.token for guess in guesses(source, ids(1, 7))] == [8]
    assert guesses(source, ids(1, 8)) == []
    assert guesses(SuffixSource([[], [5]]), ids(1, 5)) == []


@pytest.mark.parametrize("seed", range(20))
def test_edits_and_regenerations_equal_a_fresh_source(seed: int) -> None:
    rng = random.Random(seed)
    texts = [[rng.randrange(4) for _ in range(10)]]
    source, tokens = SuffixSource(texts), [rng.randrange(4) for _ in range(12)]
    for _ in range(30):
        cut = rng.choice((0, 0, 0, 1, 5, len(tokens) - 1))
        tokens = tokens[: len(tokens) - cut] + [
            rng.randrange(4) for _ in range(rng.randrange(1, 9))
        ]
        now = ids(*tokens)
        if rng.random() < 0.3:
            assert list(source.prepare(now)) == []
        assert guesses(source, now) == guesses(SuffixSource(texts), now)
        source.commit(now)


def test_guesses_of_others_are_followed() -> None:
    tokens = ids(1, 2, 3, 9, 1, 2, 4, 8, 1)
    source = SuffixSource()
    assert source.propose(tokens, [], GREEDY).token == 2
    assert source.propose(tokens, [2, 3], GREEDY).token == 9
    # Another first guess than the one walked: begin again.
    assert source.propose(tokens, [2, 4], GREEDY).token == 8
    assert source.propose(tokens, [], GREEDY).token == 2
    assert source.propose(tokens, [50], GREEDY) is None


def test_guesses_leave_no_trace() -> None:
    tokens = ids(1, 2, 3, 1)
    source = SuffixSource()
    source.propose(tokens, [2, 77, 78, 77], GREEDY)
    source.commit(tokens)
    now = ids(1, 2, 3, 1, 77)
    assert guesses(source, now) == guesses(SuffixSource(), now) == []


def test_cleared_is_new() -> None:
    source = SuffixSource([[5, 6]])
    list(source.prepare(ids(1, 2, 1)))
    source.clear()
    assert guesses(source, ids(1)) == []
    assert [guess.token for guess in guesses(source, ids(5))] == [6]


def test_the_evidence_grows_with_the_match() -> None:
    tokens = ids(*range(60), *range(4))
    rows = [guess.evidence for guess in guesses(SuffixSource(), tokens, 50)]
    assert rows == [evidence(length, 1, 1) for length in range(4, 54)]
    assert rows == sorted(rows)


def test_every_row_is_reached_and_none_is_outside() -> None:
    shares = ((2, 2), (1, 1), (2, 3), (1, 2))
    lengths = (1, 2, 3, 4, 8, 9, 17, 33, 10_000)
    rows = {evidence(length, *share) for length in lengths for share in shares}
    assert rows == set(range(NUM_EVIDENCE))
    assert NUM_EVIDENCE == SuffixSource.num_evidence == 32
    assert evidence(4, 1, 1) == evidence(5, 1, 1) != evidence(6, 1, 1)
