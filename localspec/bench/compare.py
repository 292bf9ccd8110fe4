"""On against off: the same prompt, measured alternately, and where greedy texts part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from localspec.backends.loading import LoadedPair
from localspec.backends.sources import NO_TEXTS, Texts
from localspec.bench.arms import Arm, final, measure, tokens_of, warm_up
from localspec.chat.events import Finished
from localspec.engine.reading import read_whole
from localspec.engine.sampling import SamplingParams

NEAR_TIE = 0.3
"""Logits closer than this may swap when another batch shape rounds differently."""
NO_TOKEN = -1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is."""

    arm: str
    run: int
    num_runs: int
    num_tokens: int
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class ArmResult:
    """All runs of one arm."""

    name: str
    tokens_per_second: float
    """Median over the runs."""
    spread: tuple[float, float]
    """Slowest and fastest run."""
    prefill_s: float
    ttft_s: float
    num_tokens: int
    acceptance_rate: float | None
    mean_acceptance_length: float | None
    state: str
    """Of the last run's speculation: active, idle or off."""
    state_reason: str
    stats: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two greedy texts part."""

    index: int
    """Of the first token that differs."""
    off_token: int
    on_token: int
    gap: float
    """From the target's best logit there down to the worse one of the two tokens."""

    @property
    def is_near_tie(self) -> bool:
        return self.gap < NEAR_TIE


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`."""

    off: ArmResult
    on: ArmResult
    speedup: float
    """Ratio of the median speeds."""
    speedup_spread: tuple[float, float]
    """Slowest and fastest of the paired runs' ratios."""
    same_tokens: bool
    difference: Difference | None
    """Only for greedy texts that differ."""

    def report(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    pair: LoadedPair,
    prompt: Sequence[int],
    sampling: SamplingParams,
    on: Arm,
    repeats: int,
    texts: Texts = NO_TEXTS,
) -> Iterator[Progress | Comparison]:
    """Yield progress, then the comparison. The order of the arms alternates."""
    off = Arm("off", "off")
    for _ in warm_up(pair, prompt, sampling, (off, on)):
        yield Progress("warming up", 0, repeats * 2, 0, None)
    runs: dict[str, list[Finished]] = {off.name: [], on.name: []}
    for repeat in range(repeats):
        for index, arm in enumerate((off, on) if repeat % 2 == 0 else (on, off)):
            shown = Progress(arm.name, repeat * 2 + index + 1, repeats * 2, 0, sampling.max_tokens)
            count = 0
            for event in measure(pair, prompt, sampling, arm, texts):
                count += tokens_of(event)
                yield Progress(shown.arm, shown.run, shown.num_runs, count, sampling.max_tokens)
                if (finished := final(event)) is not None:
                    runs[arm.name].append(finished)
    yield _comparison(pair, prompt, sampling, runs[off.name], runs[on.name], on)


def _comparison(
    pair: LoadedPair,
    prompt: Sequence[int],
    sampling: SamplingParams,
    off_runs: list[Finished],
    on_runs: list[Finished],
    on: Arm,
) -> Comparison:
    off_result, on_result = summarize("off", off_runs), summarize(on.name, on_runs)
    ratios = [_speed(b) / _speed(a) for a, b in zip(off_runs, on_runs, strict=True)]
    same = off_runs[0].token_ids == on_runs[0].token_ids
    difference = None
    if not same and sampling.temperature == 0.0:
        difference = first_difference(pair, prompt, off_runs[0].token_ids, on_runs[0].token_ids)
    return Comparison(
        off=off_result,
        on=on_result,
        speedup=on_result.tokens_per_second / off_result.tokens_per_second,
        speedup_spread=(min(ratios), max(ratios)),
        same_tokens=same,
        difference=difference,
    )


def summarize(name: str, runs: Sequence[Finished]) -> ArmResult:
    speeds = [_speed(run) for run in runs]
    last = runs[-1].stats
    return ArmResult(
        name=name,
        tokens_per_second=median(speeds),
        spread=(min(speeds), max(speeds)),
        prefill_s=median(run.stats["prefill_s"] for run in runs),
        ttft_s=median(run.stats["ttft_s"] for run in runs),
        num_tokens=last["num_tokens"],
        acceptance_rate=last["acceptance_rate"],
        mean_acceptance_length=last["mean_acceptance_length"],
        state=runs[-1].state or "idle",
        state_reason=runs[-1].state_reason,
        stats=[run.stats for run in runs],
    )


def _speed(run: Finished) -> float:
    return float(run.stats["tokens_per_second"])


def first_difference(
    pair: LoadedPair, prompt: Sequence[int], off: Sequence[int], on: Sequence[int]
) -> Difference:
    """Ask the target again at the first differing token, one token at a time from there."""
    length = min(len(off), len(on))
    index = next((i for i in range(length) if off[i] != on[i]), length)
    common = np.array([*prompt, *off[:index]], np.int32)
    pair.clear()
    read_whole(pair.target, common[:-1])
    logits = pair.target.decode(common[-1:], 1)[0]
    tokens = [text[index] if index < len(text) else NO_TOKEN for text in (off, on)]
    # For a text that ended without an end token, the runner-up stands for what would have come.
    ended = NO_TOKEN in tokens
    worst = np.partition(logits, -2)[-2] if ended else logits[tokens].min()
    return Difference(index, tokens[0], tokens[1], float(logits.max() - worst))
