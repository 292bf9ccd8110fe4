"""`localspec bench --record`: traces of a suite, kept whatever ends the recording."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from localspec.backends.loading import LoadedPair
    from localspec.bench.suites import Prompt
    from localspec.bench.trace import Trace
    from localspec.engine.params import SamplingParams


def record_traces(
    pair: LoadedPair, prompts: list[Prompt], sampling: SamplingParams, path: Path
) -> None:
    """Raises UsageError when the pair has no draft, before anything is recorded."""
    from localspec.bench.recording import trace_file
    from localspec.bench.trace_file import write_traces
    from localspec.cli.failure import printable
    from localspec.errors import UsageError

    if not pair.has_draft:
        raise UsageError(f"Nothing to record: {pair.off_reason}.", "Use a pair with a draft.")
    traces: list[Trace] = []
    try:
        _record(pair, prompts, sampling, traces)
    finally:
        # An interrupted recording keeps the replies that are whole.
        if traces:
            write_traces(path, trace_file(pair, traces))
            num_tokens = sum(len(trace.reply) for trace in traces)
            typer.echo(printable(f"{len(traces)} replies, {num_tokens} tokens in {path}"))


def _record(
    pair: LoadedPair, prompts: list[Prompt], sampling: SamplingParams, traces: list[Trace]
) -> None:
    from localspec.bench.pace import Pace
    from localspec.bench.recording import record_suite
    from localspec.bench.trace import Trace
    from localspec.cli.bench_progress import times
    from localspec.cli.failure import printable, say
    from localspec.cli.render import StatusLine

    status, pace = StatusLine(), Pace(len(prompts))
    events = record_suite(pair, prompts, sampling)
    try:
        with closing(events):  # type: ignore[type-var]
            pace.start()
            for event in events:
                if isinstance(event, Trace):
                    traces.append(event)
                    pace.finish()
                    status.clear()
                    say(printable(_line(event, len(traces), len(prompts), times(pace))))
                else:
                    where = f"prompt {event.prompt}/{event.num_prompts}, {event.category}"
                    status.show(printable(f"{where} · {event.num_tokens} tokens"))
    finally:
        status.clear()


def _line(trace: Trace, number: int, num_prompts: int, times: str) -> str:
    agreed = sum(trace.certain) / max(1, len(trace.certain))
    where = f"prompt {number}/{num_prompts} · {trace.category}"
    return f"{where} · {len(trace.reply)} tokens · the draft agreed on {agreed:.0%} · {times}"
