"""Every arm on every prompt of a suite, alternating; speeds against the first arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

from localspec.backends.loading import LoadedPair
from localspec.backends.sources import Texts
from localspec.bench.arms import Arm, final, measure, tokens_of, warm_up
from localspec.bench.suites import Prompt
from localspec.chat.events import Finished, Message
from localspec.engine.sampling import SamplingParams


@dataclass(frozen=True, slots=True)
class Step:
    """Progress inside a run."""

    prompt: int
    num_prompts: int
    category: str
    arm: str
    num_tokens: int


@dataclass(frozen=True, slots=True)
class Row:
    """One arm on one prompt."""

    category: str
    prompt: int
    arm: str
    tokens_per_second: float
    ratio: float
    """To the first arm on the same prompt."""
    acceptance_rate: float | None
    mean_acceptance_length: float | None
    overhead_share: float
    """overhead_s / decode_s."""
    same_tokens: bool
    """As the first arm's."""
    stats: dict[str, Any]


def run_suite(
    pair: LoadedPair,
    prompts: Sequence[Prompt],
    arms: Sequence[Arm],
    sampling: SamplingParams,
    repeats: int,
) -> Iterator[Step | Row]:
    """Yield steps while measuring, and the rows of a prompt when all its arms are done."""
    for number, prompt in enumerate(prompts):
        messages = [Message("user", prompt.text)]
        ids, texts = pair.encode(messages, raw=False), Texts.of((), messages)
        if number == 0:
            for _ in warm_up(pair, ids, sampling, arms):
                yield Step(1, len(prompts), prompt.category, "warming up", 0)
        runs: dict[str, list[Finished]] = {arm.name: [] for arm in arms}
        for repeat in range(repeats):
            for arm in arms if (number + repeat) % 2 == 0 else list(reversed(arms)):
                count = 0
                for event in measure(pair, ids, sampling, arm, texts):
                    count += tokens_of(event)
                    yield Step(number + 1, len(prompts), prompt.category, arm.name, count)
                    if (finished := final(event)) is not None:
                        runs[arm.name].append(finished)
        yield from _rows(prompt.category, number, runs)


def _rows(category: str, number: int, runs: dict[str, list[Finished]]) -> Iterator[Row]:
    base_runs = next(iter(runs.values()))
    base = median(run.stats["tokens_per_second"] for run in base_runs)
    for name, arm_runs in runs.items():
        speed = median(run.stats["tokens_per_second"] for run in arm_runs)
        stats = arm_runs[-1].stats
        yield Row(
            category=category,
            prompt=number,
            arm=name,
            tokens_per_second=speed,
            ratio=speed / base,
            acceptance_rate=stats["acceptance_rate"],
            mean_acceptance_length=stats["mean_acceptance_length"],
            overhead_share=stats["overhead_s"] / stats["decode_s"],
            same_tokens=arm_runs[-1].token_ids == base_runs[-1].token_ids,
            stats=stats,
        )


def geometric_means(rows: Sequence[Row]) -> dict[str, float]:
    """The mean ratio of each arm."""
    arms = dict.fromkeys(row.arm for row in rows)
    return {arm: geometric_mean([row.ratio for row in rows if row.arm == arm]) for arm in arms}
