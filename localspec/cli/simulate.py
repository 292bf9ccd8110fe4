"""`localspec simulate`: recorded replies under any way of drafting and any machine's costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options

if TYPE_CHECKING:
    from localspec.bench.trace_file import TraceFile
    from localspec.engine.costs import CostTable

RECORDED = "recorded"
_ARMS = "off,draft:1,draft:2,draft:4,draft:8,suffix,auto"


def simulate(
    traces: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of `bench --record`; else the greedy one that came along."),
    ] = None,
    costs: Annotated[
        str,
        typer.Option(
            "--costs",
            metavar="COSTS",
            help="What passes cost: recorded (in the files), gpu, f16-2core, q4_k_m-2core,"
            " milliseconds by tokens as 1=30,4=32,8=33,16=40,draft=2, a file of"
            " `doctor --costs --json`, or a model that was loaded here.",
        ),
    ] = RECORDED,
    arms: Annotated[
        str, typer.Option("--arms", help="Any of off, draft:K, draft, suffix, predicted, auto.")
    ] = _ARMS,
    tune: Annotated[
        Path | None,
        typer.Option(
            "--tune",
            metavar="FILE",
            help="Instead, write what the controller should start from, learned from greedy and"
            " sampled traces on the shipped costs.",
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Replay recorded replies: what drafting would gain on another machine.

    Speeds are ratios to plain decoding; no model is loaded.
    """
    from localspec.bench.trace_file import SHIPPED, read_traces, shipped

    names = SHIPPED if tune is not None else SHIPPED[:1]
    files = [read_traces(path) for path in traces or [shipped(name) for name in names]]
    if tune is not None:
        _tune(files, tune)
    else:
        _replay(files, costs, arms, json)
    return 0


def _replay(files: list[TraceFile], costs: str, arms: str, as_json: bool) -> None:
    import json

    from localspec.bench.arms import parse_arms
    from localspec.bench.forecast import Forecast
    from localspec.cli.failure import printable
    from localspec.cli.render import StatusLine
    from localspec.cli.simulate_words import forecast_lines, report

    forecast = Forecast(parse_arms(arms))
    status = StatusLine()
    try:
        for number, file in enumerate(files, 1):
            table = _costs_of(file, costs)
            total = len(file.traces) * len(forecast.arms)
            for done in forecast.add(file.traces, table):
                status.show(f"file {number}/{len(files)} · {done}/{total} replays")
    finally:
        status.clear()
    if as_json:
        typer.echo(json.dumps(report(forecast, files, costs)))
        return
    for line in forecast_lines(forecast, files, costs):
        typer.echo(printable(line))


def _costs_of(file: TraceFile, costs: str) -> CostTable:
    from localspec.bench.cost_tables import find, table_of
    from localspec.errors import UsageError

    if costs != RECORDED:
        return find(costs)
    try:
        return table_of(file.costs)
    except (ValueError, KeyError, TypeError, AttributeError):
        reason = "The traces have no costs of their own that can be used."
        raise UsageError(reason, "Give some with --costs.") from None


def _tune(files: list[TraceFile], path: Path) -> None:
    import json

    from localspec.bench.output_file import check_writable, write_whole
    from localspec.bench.tune import Tried
    from localspec.bench.tuning import tune

    check_writable(path)
    for each in tune([trace for file in files for trace in file.traces]):
        if isinstance(each, Tried):
            memory = each.memory
            typer.echo(
                f"decay {memory.decay:<6} strength {memory.strength:<5} step {memory.step:<5}"
                f" {each.speedup:.4f}x"
            )
        else:
            write_whole(path, (json.dumps(each, separators=(",", ":")) + "\n").encode())
            memory = each["memory"]
            typer.echo(f"best: {', '.join(f'{name} {value}' for name, value in memory.items())}")
            typer.echo(f"written to {path}")
