"""The draft model's cache, and when it stops drafting."""

import numpy as np

from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.engine.engine import Engine
from localspec.engine.interface import Limits, Round
from localspec.engine.sampling import Sampler, SamplingParams
from tests.fakes import FakeDecoder, hashed

GREEDY = Sampler(SamplingParams(temperature=0.0))
SAMPLED = Sampler(SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0))
TOKENS = np.array([1, 2, 3, 4], np.int32)


def test_the_draft_is_decoded_once_a_token() -> None:
    """Re-reading the verified batch on the draft costs a tenth of the speed."""
    decoder = FakeDecoder(hashed(12), 12)
    drafter = FixedDrafter(ModelSource(decoder), 4)
    engine = Engine(FakeDecoder(hashed(12), 12))
    for event in engine.generate(TOKENS, GREEDY.params, Limits(max_tokens=25), drafter):
        if isinstance(event, Round) and event.finish_reason is None:
            assert len(decoder.tokens) == len(engine.target.tokens) - 1
    # After a full acceptance the last guess and the bonus token are read in one batch.
    assert decoder.calls == [3, 1, 1, 1, 1] + [2, 1, 1, 1] * 4


def test_greedy_drafts_are_certain_and_sampled_ones_carry_probabilities() -> None:
    draft = FixedDrafter(ModelSource(FakeDecoder(hashed(12), 12)), 3).draft(TOKENS, 9, GREEDY)
    assert not any(guess.drawn for guess in draft.guesses)
    draft = FixedDrafter(ModelSource(FakeDecoder(hashed(12), 12)), 3).draft(TOKENS, 9, SAMPLED)
    assert len(draft.guesses) == 3
    assert all(g.drawn and g.probs and g.probs.probability(g.token) > 0 for g in draft.guesses)


def test_nothing_is_drafted_behind_an_end_token() -> None:
    source = ModelSource(FakeDecoder(lambda prefix: np.eye(12)[7], 12))
    drafter = FixedDrafter(source, 5, frozenset({7}))
    assert drafter.draft(TOKENS, 5, GREEDY).tokens == (7,)


def test_a_skipped_drafter_catches_up_whatever_the_length() -> None:
    decoder = FakeDecoder(hashed(12), 12, max_batch=4)
    drafter = FixedDrafter(ModelSource(decoder), 4)
    drafter.draft(TOKENS, 1, GREEDY)
    drafter.draft(np.arange(12, dtype=np.int32), 2, GREEDY)
    assert decoder.tokens.tolist()[:12] == list(range(12))
    assert max(decoder.calls) <= 4


def test_an_id_outside_the_drafts_vocabulary_turns_drafting_off() -> None:
    """Feeding a padded target's id to a smaller draft aborts the process (B03)."""
    decoder = FakeDecoder(hashed(5), 5)
    drafter = FixedDrafter(ModelSource(decoder), 4)
    assert drafter.draft(np.array([1, 9, 2], np.int32), 3, GREEDY).tokens == ()
    assert drafter.off_reason == "token 9 is not in the draft's vocabulary"
    assert list(drafter.prepare(TOKENS)) == []
    assert decoder.calls == []


def test_the_empty_drafter_never_guesses() -> None:
    drafter = NoDrafter()
    assert drafter.draft(TOKENS, 8, GREEDY).tokens == ()
    assert list(drafter.prepare(TOKENS)) == []
