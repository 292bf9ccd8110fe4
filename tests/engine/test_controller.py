"""The adaptive drafter: lossless whatever it decides, and it decides by cost and experience."""

from collections.abc import Sequence

import numpy as np
import pytest

from localspec.drafters.model import ModelSource
from localspec.engine.controller import AdaptiveDrafter
from localspec.engine.costs import CostTable
from localspec.engine.engine import Engine
from localspec.engine.estimates import NUM_STATES, Experience
from localspec.engine.evidence import NUM_MODEL_EVIDENCE
from localspec.engine.interface import Limits, Round, Source
from localspec.engine.sampling import SamplingParams
from tests.fakes import FakeDecoder, Rule, ScriptedSource, hashed, scripted

VOCAB = 12
GREEDY = SamplingParams(temperature=0.0)
PROMPT = [1, 2, 3]
CHEAP = {1: 1.0, 33: 1.3}
"""Passes of a machine that is bound by memory."""
DEAR = {n: float(n) for n in range(1, 34)}
"""Passes of one that is bound by arithmetic: drafting can't pay."""

STEEP = {n: 1.0 + 0.5 * (n - 1) for n in range(1, 34)}


class KnownCosts(CostTable):
    """Costs that no fake's timing changes."""

    def observe(self, model: str, bucket: int, num_tokens: int, seconds: float) -> None:
        return None


def experience(rate: float = 0.7, drawn: float = 0.7) -> Experience:
    rates = [rate] * NUM_MODEL_EVIDENCE
    prior = {
        "flow": np.ones((NUM_STATES, NUM_MODEL_EVIDENCE)).tolist(),
        "certain": {"draft": rates, "suffix": [rate]},
        "drawn": {"draft": [drawn] * NUM_MODEL_EVIDENCE},
    }
    return Experience.from_prior(prior)


def adaptive(
    model: Source | None,
    free: Sequence[Source] = (),
    target: dict[int, float] = CHEAP,
    draft_s: float = 0.1,
    learned: Experience | None = None,
    ends: frozenset[int] = frozenset(),
) -> AdaptiveDrafter:
    costs = KnownCosts(target, {1: draft_s, 33: 2 * draft_s}, 33)
    return AdaptiveDrafter(model, free, costs, learned or experience(), ends)


def model(rule: Rule | None = None, **options: int) -> ModelSource:
    return ModelSource(FakeDecoder(rule or hashed(VOCAB), VOCAB, **options))


def rounds_of(
    drafter: AdaptiveDrafter,
    rule: Rule | None = None,
    params: SamplingParams = GREEDY,
    max_tokens: int = 60,
) -> list[Round]:
    engine = Engine(FakeDecoder(rule or hashed(VOCAB), VOCAB))
    events = engine.generate(PROMPT, params, Limits(max_tokens=max_tokens), drafter)
    return [event for event in events if isinstance(event, Round)]


def text(rounds: list[Round]) -> list[int]:
    return [token for round_ in rounds for token in round_.tokens]


PLAIN = text(rounds_of(adaptive(None)))
FREE = {
    "right": lambda tokens: PLAIN[len(tokens) - len(PROMPT) :],
    "wrong": lambda tokens: [5] * 8,
    "half": lambda tokens: [*PLAIN[len(tokens) - len(PROMPT) :][:2], 5, 5, 5],
    "nonsense": lambda tokens: [99, -4, 3],
}


@pytest.mark.parametrize("free", [None, *FREE])
@pytest.mark.parametrize("salt", [None, 0, 7])
@pytest.mark.parametrize("target", [CHEAP, DEAR, {1: 1.0, 4: 0.9, 33: 5.0}])
def test_greedy_output_is_plain_greedy_output(
    free: str | None, salt: int | None, target: dict[int, float]
) -> None:
    sources = [ScriptedSource(FREE[free], "suffix")] if free else []
    source = None if salt is None else model(hashed(VOCAB, salt))
    drafter = adaptive(source, sources, target)
    for _ in range(3):
        assert text(rounds_of(drafter)) == PLAIN


@pytest.mark.parametrize("salt", [0, 7])
def test_passes_keep_to_the_sizes_that_they_may_have(salt: int) -> None:
    sizes = frozenset((1, 2, 4, 8))
    costs = KnownCosts(CHEAP, {1: 0.05, 33: 0.1}, 33)
    free = ScriptedSource(FREE["half"], "suffix")
    source = model(hashed(VOCAB, salt))
    drafter = AdaptiveDrafter(source, [free], costs, experience(0.8), sizes=sizes)
    rounds = rounds_of(drafter, max_tokens=200)
    assert text(rounds)[:60] == PLAIN
    assert {1 + r.num_drafted for r in rounds[:-8]} <= sizes


def test_a_good_draft_on_a_cheap_machine_is_used_and_grows() -> None:
    rounds = rounds_of(adaptive(model()))
    assert len(rounds) < len(PLAIN) / 3
    assert max(r.num_drafted for r in rounds) > 4


def test_a_model_that_cannot_pay_is_never_asked() -> None:
    """Even with every guess right, drafting was slower, and each probe cost a token (B02)."""
    source = model()
    drafter = adaptive(source, target=DEAR)
    assert not drafter.model_can_pay
    rounds = rounds_of(drafter)
    assert all(r.num_drafted == 0 for r in rounds)
    assert source.decoder.calls == []


def test_a_bad_draft_is_soon_left_alone_and_probed_ever_less() -> None:
    """The draft was asked in every round although nothing it said was accepted."""
    source = model(hashed(VOCAB, salt=7))
    drafter = adaptive(source, draft_s=0.3, learned=experience(0.1))
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    asked, calls = [], 0
    for number, event in enumerate(
        engine.generate(PROMPT, GREEDY, Limits(max_tokens=700), drafter)
    ):
        if isinstance(event, Round) and len(source.decoder.calls) > calls:
            calls = len(source.decoder.calls)
            asked.append(number)
    pauses = np.diff(asked[2:])
    assert 2 <= len(pauses) <= 8
    assert list(pauses) == sorted(pauses)


def test_a_draft_that_became_good_is_found_by_a_probe() -> None:
    learned = experience(0.1)
    drafter = adaptive(model(), draft_s=0.3, learned=learned)
    rounds = rounds_of(drafter, max_tokens=2000)
    assert rounds[0].num_drafted == 0
    assert np.mean([r.num_drafted for r in rounds[-20:]]) > 1


def test_a_free_draft_goes_before_the_model_and_is_extended_by_it() -> None:
    """Where the lookup ended, drafting ended too."""
    free = ScriptedSource(lambda tokens: FREE["right"](tokens)[:2], "suffix")
    rounds = rounds_of(adaptive(model(), [free], learned=experience(0.9)))
    assert rounds[1].sources[:2] == ("suffix", "suffix")
    assert rounds[1].source == "suffix+draft"


def test_a_wrong_free_draft_is_unlearned() -> None:
    free = ScriptedSource(FREE["wrong"], "suffix")
    rounds = rounds_of(adaptive(None, [free], target={1: 1.0, 33: 12.0}), max_tokens=200)
    assert rounds[0].num_drafted > 0
    assert sum(r.num_drafted for r in rounds[-20:]) == 0


def test_a_copy_that_fails_cannot_cost_a_reply_much() -> None:
    """A prior that trusted every copy drafted whole files into texts that went elsewhere (B02)."""
    free = ScriptedSource(FREE["wrong"], "suffix")
    drafter = adaptive(None, [free], target=STEEP, learned=experience(0.97))
    rounds = rounds_of(drafter, max_tokens=64)
    lost = sum(STEEP[1 + r.num_drafted] - 1.0 - r.num_accepted for r in rounds)
    assert lost < 2.5


def test_a_model_that_promises_too_much_cannot_cost_a_reply_much() -> None:
    """A sampled summary went other ways than its sure draft, and was a fifth slower than plain."""
    source = model(hashed(VOCAB, salt=7))
    drafter = adaptive(source, target=STEEP, draft_s=0.2, learned=experience(0.97))
    rounds = rounds_of(drafter, max_tokens=64)
    drafting = sum(0.2 * r.num_drafted for r in rounds)
    lost = drafting + sum(STEEP[1 + r.num_drafted] - 1.0 - r.num_accepted for r in rounds)
    assert max(r.num_drafted for r in rounds) > 2
    assert lost < 8.0


def test_nothing_is_drafted_behind_an_end_token() -> None:
    reply = [4, 4, 11, 5, 5, 5, 5, 5]
    rule = scripted(reply, len(PROMPT), VOCAB)
    drafter = adaptive(model(rule), learned=experience(0.95), ends=frozenset({11}))
    first = rounds_of(drafter, rule)[0]
    assert first.num_drafted == 3


def test_a_failing_model_leaves_the_free_sources() -> None:
    """When the draft ran out of memory, everything failed or nothing was said (B31)."""
    source = model(fail_after=3)
    drafter = adaptive(source, [ScriptedSource(FREE["half"], "suffix")], draft_s=0.01)
    assert text(rounds_of(drafter)) == PLAIN
    assert "out of memory" in drafter.off_reason


@pytest.mark.parametrize("free", [None, *FREE])
@pytest.mark.parametrize("salt", [0, 7])
@pytest.mark.parametrize("seed", range(4))
def test_a_seed_writes_the_same_reply_with_drafts_and_without(
    seed: int, salt: int, free: str | None
) -> None:
    """Decisions hang on measured times, and so did the text of a seed (B41)."""
    params = SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seed=seed)
    sources = [ScriptedSource(FREE[free], "suffix")] if free else []
    learned = experience(0.6, drawn=0.99)
    drafter = adaptive(model(hashed(VOCAB, salt)), sources, learned=learned)
    rounds = rounds_of(drafter, params=params)
    assert text(rounds) == text(rounds_of(adaptive(None), params=params))
    if salt == 0:
        assert all(r.num_accepted == r.num_drafted for r in rounds if "suffix" not in r.sources)
