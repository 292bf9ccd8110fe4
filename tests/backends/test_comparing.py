"""On against off: the same for both arms, and honest about texts that differ (B19)."""

import pytest

from localspec.backends.arm import Arm
from localspec.backends.comparing import compare, first_difference
from localspec.backends.loading import LoadedPair
from localspec.chat.comparison import Comparison, Difference
from localspec.chat.events import Compared
from localspec.engine.sampling import SamplingParams

GREEDY = SamplingParams(temperature=0.0, max_tokens=24)
PROMPT = list(b"Once upon a time")


def result_of(pair: LoadedPair, on: Arm, sampling: SamplingParams = GREEDY) -> Comparison:
    return compared(pair, on, sampling).comparison


def compared(pair: LoadedPair, on: Arm, sampling: SamplingParams = GREEDY) -> Compared:
    *_, end = compare(pair, PROMPT, sampling, on, 3)
    assert isinstance(end, Compared)
    return end


@pytest.mark.parametrize("on", [Arm("on", "draft", 3), Arm("on", "suffix", 3), Arm("on", "off")])
def test_both_arms_start_from_cleared_caches_and_do_the_same_work(
    pair: LoadedPair, on: Arm
) -> None:
    """The second run of a prompt reused its memory and looked many times faster."""
    result = result_of(pair, on)
    runs = [*result.off.stats, *result.on.stats]
    assert len(runs) == 6
    assert {run["num_cached_tokens"] for run in runs} == {0}
    assert {run["num_tokens"] for run in runs} == {24}
    assert {run["num_prompt_tokens"] for run in runs} == {len(PROMPT)}
    assert result.same_tokens
    assert result.difference is None
    low, high = result.speedup_spread
    assert low <= high


def test_the_order_of_the_arms_alternates(pair: LoadedPair) -> None:
    order = []
    for event in compare(pair, PROMPT, GREEDY, Arm("on", "draft", 3), 2):
        if not isinstance(event, Compared) and (event.run, event.what) not in order:
            order.append((event.run, event.what))
    assert order == [(0, "warming up"), (1, "off"), (1, "on"), (2, "on"), (2, "off")]


def test_the_first_difference_is_judged_by_the_targets_logits(pair: LoadedPair) -> None:
    result = result_of(pair, Arm("on", "off"))
    *_, finished = pair.session.reply(PROMPT, GREEDY, pair.speculation("off"))
    tokens = list(finished.token_ids)
    other = [*tokens[:5], (tokens[5] + 1) % 256, *tokens[6:]]
    difference = first_difference(pair, PROMPT, tokens, other)
    assert (difference.index, difference.off_token, difference.on_token) == (5, tokens[5], other[5])
    assert difference.gap > 0
    assert result.off.num_tokens == len(tokens)


def test_a_near_tie_is_small() -> None:
    assert Difference(3, 1, 2, 0.02).is_near_tie
    assert not Difference(3, 1, 2, 2.0).is_near_tie


def test_sampled_texts_are_not_called_different(pair: LoadedPair) -> None:
    sampled = SamplingParams(temperature=1.0, max_tokens=24, seed=3)
    result = result_of(pair, Arm("on", "draft", 3), sampled)
    assert result.difference is None


def test_what_is_raced_are_the_runs_of_median_speed(pair: LoadedPair) -> None:
    end = compared(pair, Arm("on", "draft", 3))
    for result, bursts in ((end.comparison.off, end.off), (end.comparison.on, end.on)):
        assert sum(len(burst.round.tokens) for burst in bursts) == result.num_tokens
        seconds = sum(burst.elapsed_s for burst in bursts)
        assert result.num_tokens / seconds == pytest.approx(result.tokens_per_second)


def test_each_run_says_how_far_it_is_and_how_fast_it_was(pair: LoadedPair) -> None:
    events = list(compare(pair, PROMPT, GREEDY, Arm("on", "suffix"), 1))[:-1]
    said = [str(event) for event in events]
    assert "measuring off, run 1 of 1 · 24 of 24 tokens" in said
    assert any(text.startswith("measuring on, run 1 of 1 · reading the prompt, ") for text in said)
    ended = [e for e in events if not isinstance(e, Compared) and e.tokens_per_second is not None]
    assert [(event.what, event.num_tokens) for event in ended] == [("off", 24), ("on", 24)]
