"""What a simulation found, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localspec.cli import table
from localspec.cli.bench_words import judged, ratio

if TYPE_CHECKING:
    from localspec.bench.forecast import Forecast
    from localspec.bench.trace_file import TraceFile


def forecast_lines(forecast: Forecast, files: Sequence[TraceFile], costs: str) -> list[str]:
    names = list(forecast.speedups)
    rows = [
        [kind, *(ratio(forecast.of_kind(name, kind)) for name in names)] for kind in forecast.kinds
    ]
    rows.append(["all kinds", *(ratio(forecast.overall(name)) for name in names)])
    return [
        *(_about(file) for file in files),
        f"costs: {costs}; speeds are against plain decoding, means geometric",
        "",
        *table.lines(("kind", *names), rows),
        "",
        *_conclusions(forecast),
    ]


def _about(file: TraceFile) -> str:
    num_tokens = sum(len(trace.reply) for trace in file.traces)
    greedy = sum(trace.temperature == 0.0 for trace in file.traces)
    kind = "greedy" if greedy == len(file.traces) else "sampled" if not greedy else "mixed"
    pair = f"{file.target} + {file.draft}, {file.device}"
    return f"{len(file.traces)} {kind} replies, {num_tokens} tokens, recorded with {pair}"


def _conclusions(forecast: Forecast) -> list[str]:
    from localspec.bench.forecast import CLAIRVOYANT

    lines = []
    fixed, hindsight = forecast.best_fixed(), forecast.in_hindsight()
    if fixed is not None and hindsight is not None:
        lines += [
            f"best fixed arm: {fixed.name}, {judged(forecast.overall(fixed.name))}",
            f"best fixed arm of each prompt, in hindsight: {ratio(hindsight)}",
        ]
        if "auto" in forecast.speedups:
            auto = forecast.overall("auto")
            lines.append(
                f"auto: {judged(auto)}, which is {ratio(auto / forecast.overall(fixed.name))}"
                f" of the best fixed arm and {ratio(auto / hindsight)} of hindsight"
            )
    bound = ratio(forecast.overall(CLAIRVOYANT))
    lines.append(f"knowing which of the model's guesses will be accepted: {bound} at most")
    return lines


def report(forecast: Forecast, files: Sequence[TraceFile], costs: str) -> dict[str, Any]:
    """The object of `--json`."""
    fixed = forecast.best_fixed()
    return {
        "costs": costs,
        "recorded_with": [
            {"target": file.target, "draft": file.draft, "device": file.device} for file in files
        ],
        "num_replies": len(forecast.categories),
        "num_tokens": sum(len(trace.reply) for file in files for trace in file.traces),
        "kinds": {
            kind: {name: forecast.of_kind(name, kind) for name in forecast.speedups}
            for kind in forecast.kinds
        },
        "overall": {name: forecast.overall(name) for name in forecast.speedups},
        "best_fixed": fixed.name if fixed else None,
        "hindsight": forecast.in_hindsight(),
        "prompts": [
            {"category": kind} | {name: each[index] for name, each in forecast.speedups.items()}
            for index, kind in enumerate(forecast.categories)
        ],
    }
