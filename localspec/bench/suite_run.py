"""Every arm on every prompt of a suite, alternating inside each prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from localspec.backends.arm import Arm, final, measure, tokens_of, warm_up
from localspec.backends.comparing import first_difference
from localspec.backends.loading import LoadedPair
from localspec.backends.sources import Texts
from localspec.bench.suites import Prompt
from localspec.chat.comparison import Difference
from localspec.chat.events import Message
from localspec.engine.sampling import SamplingParams

WARMING_UP = "warming up"


@dataclass(frozen=True, slots=True)
class Step:
    """Progress inside a run."""

    prompt: int
    """From 1."""
    num_prompts: int
    category: str
    arm: str
    num_tokens: int


@dataclass(frozen=True, slots=True)
class Run:
    """One measured reply of one arm."""

    prompt: int
    """From 1."""
    category: str
    arm: str
    repeat: int
    token_ids: tuple[int, ...]
    stats: dict[str, Any]
    """`Stats.report()`."""
    state: str = "active"
    """Of speculation: active, idle or off."""
    state_reason: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A run's greedy text beside the first arm's."""

    prompt: int
    arm: str
    repeat: int
    difference: Difference | None
    """None: the same."""


def run_suite(
    pair: LoadedPair,
    prompts: Sequence[Prompt],
    arms: Sequence[Arm],
    sampling: SamplingParams,
    repeats: int,
) -> Iterator[Step | Run | Text]:
    """Yield steps while measuring, each run as it ends, and behind a prompt's runs the verdict
    on every greedy text."""
    for number, prompt in enumerate(prompts, 1):
        messages = [Message("user", prompt.text)]
        ids, texts = pair.encode(messages, raw=False), Texts.of((), messages)
        if number == 1:
            for _ in warm_up(pair, ids, sampling, arms):
                yield Step(1, len(prompts), prompt.category, WARMING_UP, 0)
        runs: list[Run] = []
        for repeat in range(repeats):
            # Whatever drifts on the machine, no arm is always the first.
            for arm in arms if (number + repeat) % 2 else list(reversed(arms)):
                count = 0
                for event in measure(pair, ids, sampling, arm, texts):
                    count += tokens_of(event)
                    yield Step(number, len(prompts), prompt.category, arm.name, count)
                    if (end := final(event)) is not None:
                        ended = number, prompt.category, arm.name, repeat
                        state = end.state or "idle", end.state_reason
                        runs.append(Run(*ended, end.token_ids, end.stats, *state))
                        yield runs[-1]
        if sampling.temperature == 0.0:
            yield from _texts(pair, ids, runs, arms[0].name)


def _texts(
    pair: LoadedPair, prompt: Sequence[int], runs: Sequence[Run], first_arm: str
) -> Iterator[Text]:
    base = {run.repeat: run.token_ids for run in runs if run.arm == first_arm}
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], Difference] = {}
    for run in runs:
        texts = base[run.repeat], run.token_ids
        difference = None
        if texts[0] != texts[1]:
            if texts not in known:
                known[texts] = first_difference(pair, prompt, *texts)
            difference = known[texts]
        yield Text(run.prompt, run.arm, run.repeat, difference)
