"""The whole way from recorded traces to what the controller starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import geometric_mean
from typing import Any

from localspec.bench.cost_tables import shipped
from localspec.bench.forecast import free_sources
from localspec.bench.trace import Trace
from localspec.bench.tune import Tried, prior_file, search
from localspec.errors import UsageError


def tune(traces: Sequence[Trace]) -> Iterator[Tried | dict[str, Any]]:
    """Yield every way to remember with what it gave over greedy and sampled replies and the
    shipped costs; then the content of `engine/prior.json` with the best of them.

    Raises UsageError on traces that can't teach it all.
    """
    greedy = [trace for trace in traces if trace.temperature == 0.0]
    sampled = [trace for trace in traces if trace.temperature > 0.0]
    if min(len(greedy), len(sampled)) < 2:
        how = "Record with --temp 0 and with --temp 0.7, and give both files."
        raise UsageError("The tuner needs greedy and sampled traces, two of each at least.", how)
    costs = shipped()
    best: Tried | None = None
    try:
        regimes = (search(each, costs, free_sources) for each in (greedy, sampled))
        for of_greedy, of_sampled in zip(*regimes, strict=True):
            speedup = geometric_mean([of_greedy.speedup, of_sampled.speedup])
            tried = Tried(of_greedy.memory, speedup)
            yield tried
            if best is None or tried.speedup > best.speedup:
                best = tried
    except KeyError as error:
        # A table knows the sources that said something.
        missing = f"In a half of these traces the source {error.args[0]} never says anything."
        raise UsageError(missing, "Record more prompts.") from None
    if best is not None:
        yield prior_file(greedy, sampled, best.memory, free_sources)
