"""A benchmark while it runs: a table on a terminal, a line for each prompt elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from localspec.cli.bench_words import NOTHING, ratio
from localspec.cli.failure import printable, say

if TYPE_CHECKING:
    from localspec.bench.pace import Pace
    from localspec.bench.report import Measured
    from localspec.bench.suite_run import Step


class Sink(Protocol):
    def show(self, step: Step) -> None: ...

    def close(self) -> None: ...


def sink(title: str, measured: Measured, pace: Pace) -> Sink:
    """On stderr, so that stdout holds nothing but the results."""
    dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if sys.stderr.isatty() and not dumb:
        from localspec.cli.bench_live import LiveTable

        return LiveTable(title, measured, pace)
    return PlainLines(title, measured, pace)


class PlainLines:
    """One line when a prompt's runs are over."""

    def __init__(self, title: str, measured: Measured, pace: Pace) -> None:
        self._measured = measured
        self._pace = pace
        self._last: Step | None = None
        say(title)

    def show(self, step: Step) -> None:
        if self._last is not None and step.prompt != self._last.prompt:
            self._say(self._last)
        self._last = step

    def close(self) -> None:
        if self._last is not None and self._pace.num_done == self._pace.num_runs:
            self._say(self._last)

    def _say(self, step: Step) -> None:
        from localspec.bench.report import Measured, kind_results

        runs = [run for run in self._measured.runs if run.prompt == step.prompt]
        results = kind_results(Measured(self._measured.arms, runs))
        shown = [
            f"{kind.arm} {kind.tokens_per_second:.2f} tok/s" if index == 0
            else f"{kind.arm} {ratio(kind.ratio)}"
            for index, kind in enumerate(results)
        ]  # fmt: skip
        where = f"prompt {step.prompt}/{step.num_prompts} · {step.category}"
        say(printable(" · ".join([where, *shown, times(self._pace)])))


def times(pace: Pace) -> str:
    from localspec.bench.pace import clock_text

    left = NOTHING if pace.left_s is None else clock_text(pace.left_s)
    return f"{clock_text(pace.elapsed_s)} gone, about {left} left"
