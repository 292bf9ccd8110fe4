"""The loop: greedy output is plain greedy output, and the caches are right after every exit."""

from collections.abc import Callable

import numpy as np
import pytest

from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.drafters.predicted import PredictedSource
from localspec.drafters.suffix import SuffixSource
from localspec.engine.engine import Engine
from localspec.engine.interface import Drafter, FinishReason, Limits, Prefill, Round, Source
from localspec.engine.sampling import SamplingParams
from localspec.errors import ContextTooSmall, NativeFailure, UsageError
from tests.fakes import FakeDecoder, ScriptedSource, hashed, scripted

VOCAB = 12
GREEDY = SamplingParams(temperature=0.0)
PROMPT = [1, 2, 3, 1, 2, 3, 1]


def half_right(prefix: tuple[int, ...]) -> np.ndarray:
    """The target's rule where the last token is even, another elsewhere."""
    return hashed(VOCAB, salt=0 if prefix[-1] % 2 == 0 else 9)(prefix)


def greedy_reply(num_tokens: int) -> list[int]:
    """What the target says to PROMPT."""
    text, rule = list(PROMPT), hashed(VOCAB)
    for _ in range(num_tokens):
        text.append(int(rule(tuple(text)).argmax()))
    return text[len(PROMPT) :]


PLAIN_REPLY = greedy_reply(60)
EDITED_REPLY = [*PLAIN_REPLY[:9], 3, 3, *PLAIN_REPLY[12:20], *PLAIN_REPLY[25:50]]


SOURCES: dict[str, Callable[[], Source] | None] = {
    "none": None,
    "suffix": SuffixSource,
    "suffix of a text": lambda: SuffixSource([PLAIN_REPLY]),
    "predicted": lambda: PredictedSource([EDITED_REPLY, PLAIN_REPLY[40:]]),
    "predicted nonsense": lambda: PredictedSource([[99, -4, 3], [3] * 50]),
    "same": lambda: ModelSource(FakeDecoder(hashed(VOCAB), VOCAB)),
    "other": lambda: ModelSource(FakeDecoder(hashed(VOCAB, salt=7), VOCAB)),
    "half right": lambda: ModelSource(FakeDecoder(half_right, VOCAB)),
    "smaller vocabulary": lambda: ModelSource(FakeDecoder(hashed(8, salt=3), 8)),
    "larger vocabulary": lambda: ModelSource(FakeDecoder(hashed(20, salt=3), 20), VOCAB),
    "unlimited vocabulary": lambda: ModelSource(FakeDecoder(hashed(20, salt=3), 20)),
    "nonsense": lambda: ScriptedSource(lambda prefix: [99, -4, 3]),
    "too long": lambda: ScriptedSource(lambda prefix: [3] * 50),
}


def drafter_of(name: str, k: int = 4) -> Drafter:
    make = SOURCES[name]
    return FixedDrafter(make(), k) if make else NoDrafter()


def run(
    engine: Engine,
    drafter: Drafter,
    max_tokens: int | None = 60,
    end_tokens: frozenset[int] = frozenset(),
    params: SamplingParams = GREEDY,
    prompt: list[int] = PROMPT,
) -> tuple[list[int], list[Round], FinishReason | None]:
    """All tokens, all rounds, the reason; the cache rule is checked before every round."""
    limits = Limits(end_tokens, max_tokens)
    tokens: list[int] = []
    rounds: list[Round] = []
    for event in engine.generate(prompt, params, limits, drafter):
        if isinstance(event, Round):
            tokens += event.tokens
            rounds.append(event)
            check_caches(engine, drafter, prompt + tokens)
    check_caches(engine, drafter, prompt + tokens)
    return tokens, rounds, rounds[-1].finish_reason


def check_caches(engine: Engine, drafter: Drafter, committed: list[int]) -> None:
    """The target holds every committed token but the last; the draft a part of them."""
    assert engine.target.tokens.tolist() == committed[:-1]
    if isinstance(drafter, FixedDrafter) and isinstance(drafter.source, ModelSource):
        cached = drafter.source.decoder.tokens.tolist()
        assert cached == committed[: len(cached)]
        assert len(cached) < len(committed)


def plain(max_tokens: int | None = 60, **options: object) -> list[int]:
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    return run(engine, NoDrafter(), max_tokens=max_tokens, **options)[0]


@pytest.mark.parametrize("name", SOURCES)
def test_a_round_knows_the_drafts_that_did_not_stand(name: str) -> None:
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    _, rounds, _ = run(engine, drafter_of(name))
    for round_ in rounds:
        assert len(round_.rejected) == round_.num_drafted - round_.num_accepted
        if round_.rejected and round_.finish_reason is None:
            assert round_.rejected[0] != round_.tokens[-1]


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("k", [1, 2, 4, 8, 32])
def test_greedy_output_is_plain_greedy_output(name: str, k: int) -> None:
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    tokens, rounds, reason = run(engine, drafter_of(name, k))
    assert tokens == plain()
    assert reason == "length"
    assert all(0 <= r.num_accepted <= r.num_drafted <= k for r in rounds)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("k", [1, 4, 32])
def test_memory_that_cannot_be_cut_reads_again_what_was_accepted(name: str, k: int) -> None:
    """After a refused cut the reply went on from a wrong state (B35)."""
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB, can_cut=False))
    drafter = drafter_of(name, k)
    limits = Limits(max_tokens=60)
    for prompt in (PROMPT, PROMPT, [1, 2, 9, 4]):
        events = list(engine.generate(prompt, GREEDY, limits, drafter))
        tokens = [t for e in events if isinstance(e, Round) for t in e.tokens]
        assert tokens == plain(prompt=prompt)
        assert engine.target.tokens.tolist() == [*prompt, *tokens][:-1]


def test_a_right_draft_saves_passes() -> None:
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    _, rounds, _ = run(engine, drafter_of("same"))
    assert len(rounds) == 12
    assert all(r.num_accepted == r.num_drafted == 4 for r in rounds)


@pytest.mark.parametrize("name", SOURCES)
def test_same_seed_same_text(name: str) -> None:
    """A random stream shared by draft and target, or restarted each round, breaks this (B41)."""
    params = SamplingParams(temperature=1.0, seed=5)

    def once() -> list[int]:
        return run(Engine(FakeDecoder(hashed(VOCAB), VOCAB)), drafter_of(name), params=params)[0]

    first = once()
    assert once() == first
    assert len(set(first)) > 3


def test_another_seed_another_text() -> None:
    """Every seed gave the same text (B41)."""
    texts = set()
    for seed in range(5):
        params = SamplingParams(temperature=1.0, seed=seed)
        engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
        texts.add(tuple(run(engine, drafter_of("other"), params=params)[0]))
    assert len(texts) == 5


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("position", range(12))
def test_an_end_token_inside_a_burst_ends_the_reply(name: str, position: int) -> None:
    """Tokens accepted beyond the end stayed in text, counts and caches."""
    reply = [4] * position + [11] + [5] * 20
    engine = Engine(FakeDecoder(scripted(reply, len(PROMPT), VOCAB), VOCAB))
    tokens, rounds, reason = run(engine, drafter_of(name), end_tokens=frozenset({11}))
    assert tokens == [4] * position + [11]
    assert reason == "stop"
    assert sum(r.num_accepted for r in rounds) < len(tokens) + 1


def test_drafts_beyond_the_end_are_not_counted() -> None:
    """Drafts after the end token inflated the acceptance rate (B17)."""
    reply = [4, 11, 5, 6, 7, 8]
    engine = Engine(FakeDecoder(scripted(reply, len(PROMPT), VOCAB), VOCAB))
    source = ScriptedSource(lambda prefix: reply[len(prefix) - len(PROMPT) :])
    drafter = FixedDrafter(source, 6)
    _, rounds, _ = run(engine, drafter, end_tokens=frozenset({11}))
    assert (rounds[0].num_drafted, rounds[0].num_accepted) == (2, 2)


@pytest.mark.parametrize("limit", range(1, 14))
@pytest.mark.parametrize("name", SOURCES)
def test_the_limit_is_exact(name: str, limit: int) -> None:
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
    tokens, _, reason = run(engine, drafter_of(name), max_tokens=limit)
    assert tokens == plain(limit)
    assert reason == "length"


@pytest.mark.parametrize("free", [0, 1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("k", [1, 4, 16, 32])
@pytest.mark.parametrize("name", SOURCES)
def test_a_full_context_ends_the_reply_as_plain_decoding_does(name: str, k: int, free: int) -> None:
    """Near the limit the draft looked past the end of the context and the process died (B08)."""
    size = len(PROMPT) + free

    def small(salt: int) -> FakeDecoder:
        return FakeDecoder(hashed(VOCAB, salt), VOCAB, n_ctx=size)

    drafter = FixedDrafter(ModelSource(small(7)), k) if name == "other" else drafter_of(name, k)
    tokens, _, reason = run(Engine(small(0)), drafter, max_tokens=None)
    assert tokens == plain(free + 1)
    assert reason == "context"


def test_a_draft_context_smaller_than_the_targets_is_only_a_shorter_draft() -> None:
    """The draft's context was never looked at, and filled up first (B08)."""
    drafter = FixedDrafter(ModelSource(FakeDecoder(hashed(VOCAB), VOCAB, n_ctx=20)), 4)
    tokens, rounds, _ = run(Engine(FakeDecoder(hashed(VOCAB), VOCAB)), drafter)
    assert tokens == plain()
    assert rounds[0].num_drafted == 4
    assert rounds[-1].num_drafted == 0


@pytest.mark.parametrize("name", SOURCES)
def test_closing_after_any_event_leaves_sound_caches(name: str) -> None:
    """After a stop the draft's cache kept rejected tokens, and the next reply was wrong."""
    for stop_after in range(1, 16):
        engine, drafter = Engine(FakeDecoder(hashed(VOCAB), VOCAB, max_batch=3)), drafter_of(name)
        generation = engine.generate(PROMPT, GREEDY, Limits(max_tokens=60), drafter)
        tokens: list[int] = []
        for _ in range(stop_after):
            event = next(generation)
            tokens += event.tokens if isinstance(event, Round) else ()
        generation.close()
        if tokens:
            check_caches(engine, drafter, PROMPT + tokens)
        again, _, _ = run(engine, drafter)
        assert again == plain()


@pytest.mark.parametrize("name", SOURCES)
def test_a_consumer_may_cut_the_last_round(name: str) -> None:
    for kept in range(1, 4):
        engine, drafter = Engine(FakeDecoder(hashed(VOCAB), VOCAB)), drafter_of(name)
        generation = engine.generate(PROMPT, GREEDY, Limits(), drafter)
        tokens: list[int] = []
        while not isinstance(event := next(generation), Round):
            pass
        tokens += event.tokens[:kept]
        with pytest.raises(StopIteration):
            generation.send(kept)
        check_caches(engine, drafter, PROMPT + tokens)


def test_a_common_prefix_is_not_read_again() -> None:
    target = FakeDecoder(hashed(VOCAB), VOCAB)
    engine, drafter = Engine(target), drafter_of("same")
    tokens, _, _ = run(engine, drafter, max_tokens=9)
    target.calls.clear()
    second = [*PROMPT, *tokens, 5, 6]
    events = list(engine.generate(second, GREEDY, Limits(max_tokens=5), drafter))
    assert isinstance(events[0], Prefill)
    assert events[0].num_cached == len(PROMPT) + len(tokens) - 1
    assert target.calls[0] == 2
    run(engine, drafter, prompt=second)


@pytest.mark.parametrize("name", SOURCES)
def test_turns_edits_and_regenerations_equal_a_fresh_engine(name: str) -> None:
    engine, drafter = Engine(FakeDecoder(hashed(VOCAB), VOCAB)), drafter_of(name)
    for prompt in ([1, 2, 3], [1, 2, 3], [1, 2, 9, 4], [7], [1, 2, 3, 4, 5, 6, 7, 8]):
        fresh = Engine(FakeDecoder(hashed(VOCAB), VOCAB))
        expected = run(fresh, NoDrafter(), prompt=prompt)[0]
        assert run(engine, drafter, prompt=prompt)[0] == expected


def test_a_long_prompt_is_read_in_chunks_with_progress() -> None:
    """A stop was only looked at after the first token (B13)."""
    engine = Engine(FakeDecoder(hashed(VOCAB), VOCAB, max_batch=8))
    drafter = FixedDrafter(ModelSource(FakeDecoder(hashed(VOCAB), VOCAB, max_batch=8)), 4)
    prompt = [1, 2] * 20
    events = list(engine.generate(prompt, GREEDY, Limits(max_tokens=1), drafter))
    progress = [(e.model, e.num_read, e.num_total) for e in events if isinstance(e, Prefill)]
    steps = [0, 8, 16, 24, 32, 39]
    assert progress[:6] == [("target", step, 39) for step in steps]
    assert progress[6:] == [("draft", step, 39) for step in steps[1:]]


def test_memory_that_cannot_be_cut_is_read_again_between_turns() -> None:
    target = FakeDecoder(hashed(VOCAB), VOCAB, can_cut=False)
    engine = Engine(target)
    assert run(engine, NoDrafter())[0] == plain()
    assert run(engine, NoDrafter())[0] == plain()


@pytest.mark.parametrize("fail_after", range(8))
def test_a_failing_target_leaves_caches_that_can_be_used(fail_after: int) -> None:
    target = FakeDecoder(hashed(VOCAB), VOCAB, max_batch=5, fail_after=fail_after)
    engine, drafter = Engine(target), drafter_of("same")
    with pytest.raises(NativeFailure):
        run(engine, drafter)
    target.fail_after = None
    assert run(engine, drafter)[0] == plain()


@pytest.mark.parametrize("fail_after", range(8))
def test_a_failing_draft_does_not_fail_the_reply(fail_after: int) -> None:
    drafter = FixedDrafter(ModelSource(FakeDecoder(hashed(VOCAB), VOCAB, fail_after=fail_after)), 4)
    tokens, _, _ = run(Engine(FakeDecoder(hashed(VOCAB), VOCAB)), drafter)
    assert tokens == plain()
    assert "out of memory" in drafter.off_reason


def test_bad_prompts_are_refused_before_any_native_call() -> None:
    target = FakeDecoder(hashed(VOCAB), VOCAB, n_ctx=8)
    for prompt, error in (([], UsageError), ([VOCAB], UsageError), ([-1], UsageError)):
        with pytest.raises(error):
            list(Engine(target).generate(prompt, GREEDY, Limits(), NoDrafter()))
    with pytest.raises(ContextTooSmall, match="9 tokens and the context holds 8"):
        list(Engine(target).generate([1] * 9, GREEDY, Limits(), NoDrafter()))
    assert target.calls == []
