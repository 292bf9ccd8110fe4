"""Every arm on every prompt, and what is said of the texts."""

import dataclasses
from collections.abc import Iterator

import pytest

from localspec.backends.loading import LoadedPair
from localspec.bench import suite_run
from localspec.bench.arms import parse_arms
from localspec.bench.suite_run import Run, Step, Text, run_suite
from localspec.bench.suites import Prompt
from localspec.chat.events import Event, Finished
from localspec.engine.sampling import SamplingParams

GREEDY = SamplingParams(temperature=0.0, max_tokens=24)
PROMPTS = [Prompt("a", "one"), Prompt("b", "two")]
ARMS = parse_arms("off,draft:2,suffix")


def test_arms_alternate_inside_each_prompt_from_cleared_caches(pair: LoadedPair) -> None:
    """The arm that always came first met a cold machine, and the next one a warm cache."""
    events = list(run_suite(pair, PROMPTS, ARMS, GREEDY, 2))
    runs = [event for event in events if isinstance(event, Run)]
    forth, back = ["off", "draft:2", "suffix"], ["suffix", "draft:2", "off"]
    assert [run.arm for run in runs] == forth + back + back + forth
    assert [run.category for run in runs] == ["a"] * 6 + ["b"] * 6
    assert {run.stats["num_cached_tokens"] for run in runs} == {0}
    assert {run.stats["num_tokens"] for run in runs} == {24}
    assert isinstance(events[0], Step)
    assert events[0].arm == suite_run.WARMING_UP


def test_native_time_is_measured_and_is_not_all(pair: LoadedPair) -> None:
    """Python's part was hidden in the times of drafting and sampling."""
    runs = [e for e in run_suite(pair, PROMPTS[:1], ARMS, GREEDY, 1) if isinstance(e, Run)]
    for run in runs:
        assert 0 < run.stats["native_s"] < run.stats["decode_s"]
        assert 0 < run.stats["python_share"] < 1


def test_greedy_texts_are_judged_after_each_prompt(pair: LoadedPair) -> None:
    texts = [e for e in run_suite(pair, PROMPTS, ARMS, GREEDY, 1) if isinstance(e, Text)]
    assert [(text.prompt, text.arm) for text in texts] == [
        (1, "off"), (1, "draft:2"), (1, "suffix"), (2, "suffix"), (2, "draft:2"), (2, "off"),
    ]  # fmt: skip
    assert {text.difference for text in texts} == {None}


def test_a_wrong_token_is_a_fault_with_its_gap(
    pair: LoadedPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that parted for no good reason was only called other."""
    measure = suite_run.measure

    def spoiled(*args: object) -> Iterator[Event]:
        for event in measure(*args):  # type: ignore[arg-type]
            if isinstance(event, Finished) and ARMS[1] in args:
                ids = event.token_ids
                wrong = (ids[4] + 1) % 256
                event = dataclasses.replace(event, token_ids=(*ids[:4], wrong, *ids[5:]))
            yield event

    monkeypatch.setattr(suite_run, "measure", spoiled)
    texts = [e for e in run_suite(pair, PROMPTS[:1], ARMS, GREEDY, 1) if isinstance(e, Text)]
    differences = {text.arm: text.difference for text in texts}
    assert differences["suffix"] is None
    assert differences["draft:2"] is not None
    assert differences["draft:2"].index == 4
    assert not differences["draft:2"].is_near_tie


def test_sampled_texts_are_not_judged(pair: LoadedPair) -> None:
    sampled = SamplingParams(temperature=1.0, max_tokens=8, seed=3)
    events = list(run_suite(pair, PROMPTS[:1], ARMS, sampled, 1))
    assert not any(isinstance(event, Text) for event in events)
