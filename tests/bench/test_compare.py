"""On against off: the same for both arms, and honest about texts that differ (B19)."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.bench.arms import Arm, parse_arm
from localspec.bench.compare import Comparison, Difference, compare, first_difference
from localspec.bench.suite_run import Row, geometric_means, run_suite
from localspec.bench.suites import KINDS, Prompt, load_suite
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError

GREEDY = SamplingParams(temperature=0.0, max_tokens=24)
PROMPT = list(b"Once upon a time")


@pytest.fixture
def pair(tiny_pair: str) -> Iterator[LoadedPair]:
    with closing(LoadedPair(LoadRequest(tiny_pair, ctx=512, threads=1))) as loaded:
        list(loaded.load())
        yield loaded


def result_of(pair: LoadedPair, on: Arm, sampling: SamplingParams = GREEDY) -> Comparison:
    (result,) = [e for e in compare(pair, PROMPT, sampling, on, 3) if isinstance(e, Comparison)]
    return result


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
        if not isinstance(event, Comparison) and (event.run, event.arm) not in order:
            order.append((event.run, event.arm))
    assert order == [(0, "warming up"), (1, "off"), (2, "on"), (3, "on"), (4, "off")]


def test_the_first_difference_is_judged_by_the_targets_logits(pair: LoadedPair) -> None:
    result = result_of(pair, Arm("on", "off"))
    *_, finished = pair.session.reply(PROMPT, GREEDY, pair.speculation("off", 0))
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


def test_a_suite_gives_a_row_for_every_arm_and_prompt(pair: LoadedPair) -> None:
    prompts = [Prompt("a", "one"), Prompt("b", "two")]
    arms = [parse_arm("off"), parse_arm("draft:2"), parse_arm("suffix")]
    rows = [r for r in run_suite(pair, prompts, arms, GREEDY, 1) if isinstance(r, Row)]
    assert [(r.category, r.arm) for r in rows] == [
        (category, arm) for category in "ab" for arm in ("off", "draft:2", "suffix")
    ]
    assert all(r.same_tokens for r in rows)
    assert [r.ratio for r in rows if r.arm == "off"] == [1.0, 1.0]
    assert geometric_means(rows)["off"] == pytest.approx(1.0)


def test_arms_are_parsed_or_refused() -> None:
    assert parse_arm("draft:5") == Arm("draft:5", "draft", 5)
    assert parse_arm("suffix") == Arm("suffix", "suffix", 3)
    assert parse_arm("ngram:4").spec == "suffix"
    assert parse_arm("predicted:4") == Arm("predicted:4", "predicted", 4)
    assert parse_arm("off") == Arm("off", "off", 0)
    for text in ("", "fast", "draft:x", "draft:-1", "draft:0"):
        with pytest.raises(UsageError):
            parse_arm(text)


def test_the_shipped_suites_are_whole(tmp_path: object) -> None:
    assert len(load_suite("spec")) == 90
    assert len(load_suite("edit")) == 4
    assert [p.category for p in load_suite("kinds")] == list(KINDS.values())
    assert len(load_suite("spec", per_category=2)) == 26


def test_an_own_suite_is_read_or_refused_by_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("suite") / "own.jsonl"
    path.write_text('{"prompt": "Hello"}\n\n{"category": "x", "turns": ["One", "Two"]}\n')
    assert load_suite(str(path)) == [Prompt("all", "Hello"), Prompt("x", "One")]
    for line in ("[]", "{}", '{"turns": []}', '{"prompt": 3}', "nonsense", '{"prompt": " "}'):
        path.write_text('{"prompt": "fine"}\n' + line + "\n")
        with pytest.raises(UsageError, match="Line 2 of the suite"):
            load_suite(str(path))
    path.write_text("")
    with pytest.raises(UsageError, match="holds no prompts"):
        load_suite(str(path))
    with pytest.raises(UsageError, match="can't be read"):
        load_suite(str(path) + ".absent")
