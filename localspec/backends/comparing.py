"""On against off: the same prompt, measured alternately, and where greedy texts part."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from localspec.backends.arm import Arm, final, measure, tokens_of, warm_up
from localspec.backends.loading import LoadedPair
from localspec.backends.sources import NO_TEXTS, Texts
from localspec.chat.comparison import ArmResult, Comparison, Difference
from localspec.chat.events import Burst, Compared, Event, Finished, Measuring
from localspec.engine.interface import Prefill
from localspec.engine.reading import read_in_chunks
from localspec.engine.sampling import SamplingParams
from localspec.errors import LocalspecError

NO_TOKEN = -1


@dataclass(frozen=True, slots=True)
class Run:
    """One measured reply."""

    bursts: tuple[Burst, ...]
    finished: Finished

    @property
    def speed(self) -> float:
        return float(self.finished.stats["tokens_per_second"])


def compare(
    pair: LoadedPair,
    prompt: Sequence[int],
    sampling: SamplingParams,
    on: Arm,
    repeats: int,
    texts: Texts = NO_TEXTS,
) -> Generator[Measuring | Compared, None, None]:
    """Yield progress, then the comparison. The order of the arms alternates."""
    off = Arm("off", "off")
    warming = Measuring("warming up", 0, repeats, 0, None)
    for event in warm_up(pair, prompt, sampling, (off, on)):
        yield _seen(warming, event)
    runs: dict[str, list[Run]] = {"off": [], "on": []}
    for repeat in range(repeats):
        sides = (("off", off), ("on", on))
        for side, arm in sides if repeat % 2 == 0 else reversed(sides):
            begun = Measuring(side, repeat + 1, repeats, 0, sampling.max_tokens)
            run = yield from _run(measure(pair, prompt, sampling, arm, texts), begun)
            runs[side].append(run)
    off_run, on_run = (_of_median_speed(runs[side]) for side in ("off", "on"))
    off_ids, on_ids = off_run.finished.token_ids, on_run.finished.token_ids
    difference = None
    if off_ids != on_ids and sampling.temperature == 0.0:
        looking = Measuring("looking where the texts part", 0, repeats, 0, None)
        for step in seek_difference(pair, prompt, off_ids, on_ids):
            if isinstance(step, Difference):
                difference = step
            else:
                yield replace(looking, prefill=step)
    comparison = _comparison(runs["off"], runs["on"], off_ids == on_ids, difference)
    yield Compared(comparison, off_run.bursts, on_run.bursts)


def _run(events: Iterator[Event], begun: Measuring) -> Generator[Measuring, None, Run]:
    """Yields how far it is."""
    bursts: list[Burst] = []
    for event in events:
        begun = _seen(begun, event)
        if isinstance(event, Burst):
            bursts.append(event)
        if (finished := final(event)) is not None:
            run = Run(tuple(bursts), finished)
            yield replace(begun, tokens_per_second=run.speed)
            return run
        yield begun
    raise LocalspecError("A measured reply broke off without a result.")


def _seen(before: Measuring, event: Event) -> Measuring:
    prefill = event if isinstance(event, Prefill) else None
    return replace(before, num_tokens=before.num_tokens + tokens_of(event), prefill=prefill)


def _of_median_speed(runs: Sequence[Run]) -> Run:
    return sorted(runs, key=lambda run: run.speed)[(len(runs) - 1) // 2]


def _comparison(
    off: Sequence[Run], on: Sequence[Run], same_tokens: bool, difference: Difference | None
) -> Comparison:
    off_result, on_result = summarize("off", off), summarize("on", on)
    ratios = [b.speed / a.speed for a, b in zip(off, on, strict=True)]
    return Comparison(
        off=off_result,
        on=on_result,
        speedup=on_result.tokens_per_second / off_result.tokens_per_second,
        speedup_spread=(min(ratios), max(ratios)),
        same_tokens=same_tokens,
        difference=difference,
    )


def summarize(name: str, runs: Sequence[Run]) -> ArmResult:
    speeds = [run.speed for run in runs]
    stats = [run.finished.stats for run in runs]
    last = runs[-1].finished
    return ArmResult(
        name=name,
        tokens_per_second=median(speeds),
        spread=(min(speeds), max(speeds)),
        prefill_s=median(each["prefill_s"] for each in stats),
        ttft_s=median(each["ttft_s"] for each in stats),
        num_tokens=last.stats["num_tokens"],
        acceptance_rate=last.stats["acceptance_rate"],
        mean_acceptance_length=last.stats["mean_acceptance_length"],
        state=last.state or "idle",
        state_reason=last.state_reason,
        stats=stats,
    )


def first_difference(
    pair: LoadedPair, prompt: Sequence[int], off: Sequence[int], on: Sequence[int]
) -> Difference:
    *_, difference = seek_difference(pair, prompt, off, on)
    assert isinstance(difference, Difference)
    return difference


def seek_difference(
    pair: LoadedPair, prompt: Sequence[int], off: Sequence[int], on: Sequence[int]
) -> Iterator[Prefill | Difference]:
    """Ask the target again at the first differing token, one token at a time from there. Yields
    what has been read of the text before it, then the difference."""
    length = min(len(off), len(on))
    index = next((i for i in range(length) if off[i] != on[i]), length)
    common = np.array([*prompt, *off[:index]], np.int32)
    pair.clear()
    for read, total in read_in_chunks(pair.target, common[:-1]):
        yield Prefill(read, total)
    logits = pair.target.decode(common[-1:], 1)[0]
    tokens = [text[index] if index < len(text) else NO_TOKEN for text in (off, on)]
    # For a text that ended without an end token, the runner-up stands for what would have come.
    ended = NO_TOKEN in tokens
    worst = np.partition(logits, -2)[-2] if ended else logits[tokens].min()
    yield Difference(index, tokens[0], tokens[1], float(logits.max() - worst))
