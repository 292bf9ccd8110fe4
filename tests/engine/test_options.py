"""Penalties, bias and grammar with drafts: as plain decoding with the same options (B42)."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.drafters.suffix import SuffixSource
from localspec.engine import engine as engine_module
from localspec.engine.controller import AdaptiveDrafter
from localspec.engine.costs import CostTable
from localspec.engine.engine import Engine
from localspec.engine.interface import Drafter, Limits, Round
from localspec.engine.sampling import Distribution, Sampler, SamplingParams
from localspec.errors import UsageError
from tests.engine.test_controller import experience
from tests.fakes import FakeDecoder, FakeGrammar, ScriptedSource, hashed

VOCAB = 12
END = 11
PROMPT = [1, 2, 3, 1, 2, 3, 1]


def alternating(prefix: tuple[int, ...]) -> list[int]:
    """Even and odd ids by turns; the end after eleven."""
    ids = [token for token in range(10) if token % 2 == len(prefix) % 2]
    return [*ids, END] if len(prefix) >= 11 else ids


def nearly_fixed(prefix: tuple[int, ...]) -> list[int]:
    """As JSON: mostly one id may follow, sometimes any."""
    return list(range(10)) if len(prefix) % 4 == 3 else [[4, 8, 2][len(prefix) % 3]]


OPTIONS: dict[str, dict[str, object]] = {
    "repeat penalty": {"repeat_penalty": 5.0},
    "frequency": {"frequency_penalty": 1.5, "repeat_last_n": -1},
    "presence": {"presence_penalty": 3.0, "repeat_last_n": 3},
    "rewarded repetition": {"presence_penalty": -4.0, "repeat_last_n": 2},
    "bias": {"logit_bias": ((0, -math.inf), (4, -math.inf), (5, 3.0))},
    "combined": {
        "repeat_penalty": 1.5,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.5,
        "repeat_last_n": 8,
        "logit_bias": ((2, -math.inf), (5, 1.5)),
    },
}
GRAMMARS: dict[str, Callable[[tuple[int, ...]], Sequence[int]] | None] = {
    "no grammar": None,
    "alternating": alternating,
    "nearly fixed": nearly_fixed,
}
DRAFTERS: dict[str, Callable[[], Drafter]] = {
    "same": lambda: FixedDrafter(ModelSource(FakeDecoder(hashed(VOCAB), VOCAB)), 4),
    "other": lambda: FixedDrafter(ModelSource(FakeDecoder(hashed(VOCAB, salt=7), VOCAB)), 4),
    "suffix": lambda: FixedDrafter(SuffixSource(), 4),
    "banned": lambda: FixedDrafter(ScriptedSource(lambda prefix: [4, 0, 4, 0]), 4),
    "breaks every grammar": lambda: FixedDrafter(ScriptedSource(lambda prefix: [END, 10, END]), 4),
    "adaptive": lambda: AdaptiveDrafter(
        ModelSource(FakeDecoder(hashed(VOCAB, salt=7), VOCAB)),
        [ScriptedSource(lambda prefix: [4, 0, 4, 0], "suffix")],
        CostTable({1: 1.0, 33: 1.3}, {1: 0.05, 33: 0.1}, 33),
        experience(0.6),
    ),
}


def replies(
    drafter: Drafter, grammar: str, seed: int = 0, max_tokens: int = 60, **options: object
) -> list[Round]:
    params = SamplingParams(**{"temperature": 0.0, "seed": seed, **options})
    rule = GRAMMARS[grammar]
    state = None if rule is None else FakeGrammar(rule, END)
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    limits = Limits(frozenset({END}) if rule else frozenset(), max_tokens)
    events = engine.generate(PROMPT, params, limits, drafter, state)
    return [event for event in events if isinstance(event, Round)]


def text(rounds: list[Round]) -> list[int]:
    return [token for round_ in rounds for token in round_.tokens]


@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("name", ["none", *OPTIONS])
def test_greedy_text_is_the_plain_text(name: str, grammar: str, drafter: str) -> None:
    """Options were ignored while drafting, or counted rejected drafts (B42)."""
    options = OPTIONS.get(name, {})
    drafted = replies(DRAFTERS[drafter](), grammar, **options)
    assert text(drafted) == text(replies(NoDrafter(), grammar, **options))
    rule = GRAMMARS[grammar]
    for index, token in enumerate(text(drafted)):
        # Where a bias bans all that the grammar allows, the reply ends.
        assert rule is None or token == END or token in rule(tuple(text(drafted)[:index]))
        assert (token, -math.inf) not in options.get("logit_bias", ())


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_changes_the_text(name: str) -> None:
    """An option that does nothing would pass every comparison."""
    changed = text(replies(NoDrafter(), "no grammar", **OPTIONS[name]))
    assert changed != text(replies(NoDrafter(), "no grammar"))


@pytest.mark.parametrize("name", OPTIONS)
def test_the_right_draft_is_accepted_whole(name: str) -> None:
    """The draft's row went through another chain than the target's, and drafts were lost."""
    rounds = replies(DRAFTERS["same"](), "no grammar", **OPTIONS[name])
    assert all(round_.num_accepted == round_.num_drafted for round_ in rounds)
    assert len(rounds) == 12


class CountsRejected(Sampler):
    """What was reported: the history moves by what is looked at, not by what is committed."""

    def draft_distribution(self, logits: np.ndarray, ahead: Sequence[int] = ()) -> Distribution:
        drawn = super().draft_distribution(logits, ahead)
        self.commit([int(drawn.ids[0])])
        return drawn


class IgnoresAhead(Sampler):
    """Every position of a round sees the state of the round's start."""

    def distribution(self, logits: np.ndarray, ahead: Sequence[int] = ()) -> Distribution:
        return super().distribution(logits)


class CommitsOneOnly(Sampler):
    """The state moves by the target's own token only."""

    def commit(self, tokens: Sequence[int]) -> None:
        super().commit(tokens[-1:])


@pytest.mark.parametrize("wrong", [CountsRejected, IgnoresAhead, CommitsOneOnly])
def test_the_test_sees_a_wrong_state(wrong: type[Sampler], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = text(replies(NoDrafter(), "no grammar", **OPTIONS["frequency"]))
    monkeypatch.setattr(engine_module, "Sampler", wrong)
    drafted = [replies(make(), "no grammar", **OPTIONS["frequency"]) for make in DRAFTERS.values()]
    assert any(text(rounds) != expected for rounds in drafted)


@pytest.mark.parametrize("grammar", ["no grammar", "alternating"])
@pytest.mark.parametrize("drafter", ["same", "other", "banned"])
def test_sampled_text_is_distributed_as_the_chain_says(drafter: str, grammar: str) -> None:
    options = {"temperature": 1.0, "top_k": 4, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 2.0}
    options |= {"frequency_penalty": 0.7, "logit_bias": ((2, -math.inf), (3, 0.5))}
    draws = 600
    seen = Counter(
        tuple(text(replies(DRAFTERS[drafter](), grammar, seed, 3, **options)))
        for seed in range(draws)
    )
    expected = {key: draws * p for key, p in direct(grammar, SamplingParams(**options)).items()}
    assert set(seen) <= set(expected)
    # Rare texts together: a chi-square needs a few expected in every cell.
    rare = [key for key, count in expected.items() if count < 5]
    frequent = [key for key in expected if expected[key] >= 5]
    observed = [seen[key] for key in frequent] + [sum(seen[key] for key in rare)]
    wanted = [expected[key] for key in frequent] + [sum(expected[key] for key in rare)]
    cells = [(o, w) for o, w in zip(observed, wanted, strict=True) if w > 0]
    assert chisquare([o for o, _ in cells], [w for _, w in cells]).pvalue > 0.001


def direct(grammar: str, params: SamplingParams) -> dict[tuple[int, ...], float]:
    """The probability of every text of three tokens, one token at a time, without an engine."""
    chances: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(3):
        longer = {}
        for prefix, chance in chances.items():
            logits = hashed(VOCAB)((*PROMPT, *prefix)).copy()
            window = Counter([*PROMPT, *prefix])
            for token, count in window.items():
                value = logits[token]
                logits[token] = value * 2.0 if value <= 0 else value / 2.0
                logits[token] -= 0.7 * count
            logits[2] = -math.inf
            logits[3] += 0.5
            rule = GRAMMARS[grammar]
            for token in range(VOCAB):
                if rule is not None and token not in rule(prefix):
                    logits[token] = -math.inf
            best = np.argsort(-logits)[: params.top_k]
            probs = np.exp(logits[best].astype(float))
            for token, p in zip(best, probs / probs.sum(), strict=True):
                longer[(*prefix, int(token))] = chance * p
        chances = {text_: chance for text_, chance in longer.items() if chance > 0}
    return chances


def test_the_grammars_state_is_the_committed_text() -> None:
    """The grammar's state advanced on rejected tokens (B42); the fake refuses any wrong one."""
    for drafter, grammar in product(DRAFTERS, ["alternating", "nearly fixed"]):
        state = FakeGrammar(GRAMMARS[grammar], END)
        engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
        params, limits = SamplingParams(temperature=0.0), Limits(frozenset({END}), 30)
        tokens: list[int] = []
        for event in engine.generate(PROMPT, params, limits, DRAFTERS[drafter](), state):
            tokens += event.tokens if isinstance(event, Round) else ()
            assert state.committed == tuple(tokens)


def test_an_id_that_the_model_does_not_have_is_refused_before_anything_is_read() -> None:
    target = FakeDecoder(hashed(VOCAB), VOCAB)
    params = SamplingParams(logit_bias=((VOCAB, 1.0),))
    with pytest.raises(UsageError, match="12 ids, not 12"):
        next(Engine(target).generate(PROMPT, params, Limits(), NoDrafter()))
    assert not target.calls
