"""Prompt lookup finds the longest, then latest, earlier match."""

import numpy as np
import pytest

from localspec.drafters.ngram import MAX_MATCH, MIN_MATCH, NgramDrafter, longest_match
from localspec.engine.sampling import Sampler, SamplingParams


def slow(tokens: list[int]) -> int | None:
    """Every length and every end, tried plainly."""
    for length in range(min(MAX_MATCH, len(tokens) - 1), MIN_MATCH - 1, -1):
        for end in range(len(tokens) - 2, length - 2, -1):
            if tokens[end - length + 1 : end + 1] == tokens[-length:]:
                return end
    return None


@pytest.mark.parametrize("seed", range(300))
def test_the_match_equals_a_plain_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, rng.integers(1, 4), rng.integers(1, 40)).astype(np.int32)
    assert longest_match(tokens) == slow(tokens.tolist())


def test_the_draft_is_what_followed_and_no_more_than_asked() -> None:
    sampler = Sampler(SamplingParams())
    tokens = np.array([1, 2, 3, 4, 5, 6, 1, 2, 3], np.int32)
    draft = NgramDrafter().draft(tokens, 2, sampler)
    assert (draft.tokens, draft.probs, draft.source) == ((4, 5), None, "ngram")
    assert NgramDrafter().draft(tokens[:5], 4, sampler).tokens == ()
