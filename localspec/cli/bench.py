"""`localspec bench`: ways of drafting, measured on a suite of prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options

if TYPE_CHECKING:
    from localspec.bench.suite_run import Row, Step


def bench(
    model: Annotated[str | None, typer.Argument(help="A model; else the default one.")] = None,
    suite: Annotated[
        str,
        typer.Option("--suite", help="kinds (eight kinds of work), spec, edit, or a JSONL file."),
    ] = "kinds",
    arms: Annotated[
        str,
        typer.Option("--arms", help="off, draft:K, ngram:K, auto; speeds are ratios to the first."),
    ] = "off,draft:3",
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Tokens of each reply.")] = 64,
    per_category: Annotated[
        int | None, typer.Option("--per-category", min=1, help="Prompts of each category.")
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each arm.")] = 1,
    temp: options.Temperature = 0.0,
    repeat_penalty: options.RepeatPenalty = None,
    presence_penalty: options.PresencePenalty = None,
    frequency_penalty: options.FrequencyPenalty = None,
    repeat_last_n: options.RepeatLastN = None,
    logit_bias: options.LogitBias = None,
    grammar: options.Grammar = None,
    json_schema: options.JsonSchema = None,
    seed: options.Seed = 0,
    ctx: options.Ctx = None,
    gpu_layers: options.GpuLayers = None,
    draft_gpu_layers: options.DraftGpuLayers = None,
    device: options.Device = None,
    threads: options.Threads = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write every row there.")
    ] = None,
    yes: options.Yes = False,
) -> int:
    """Measure every way on every prompt, by turns, from cleared caches."""
    from localspec.bench.arms import parse_arm
    from localspec.bench.suite_run import Row, run_suite
    from localspec.bench.suites import load_suite
    from localspec.cli.constraints import constraints
    from localspec.cli.loaded import loaded_pair
    from localspec.cli.render import StatusLine
    from localspec.cli.request import layers, reply_request
    from localspec.errors import UsageError
    from localspec.settings import load_settings

    settings = load_settings(
        model=model,
        max_tokens=tokens,
        temperature=temp,
        ctx=ctx,
        gpu_layers=layers(gpu_layers),
        draft_gpu_layers=layers(draft_gpu_layers),
        device=device,
        threads=threads,
        repeat_penalty=repeat_penalty,
        presence_penalty=presence_penalty,
        frequency_penalty=frequency_penalty,
        repeat_last_n=repeat_last_n,
        **constraints(logit_bias, grammar, json_schema),
    )
    prompts = load_suite(suite, per_category)
    ways = [parse_arm(text) for text in arms.split(",")]
    if len({way.name for way in ways}) < len(ways):
        raise UsageError(f"--arms {arms}: an arm is there twice.")
    if json_file is not None:
        _check_writable(json_file)
    sampling = reply_request(settings, seed).sampling
    rows: list[Row] = []
    status = StatusLine()
    try:
        with loaded_pair(settings, yes) as pair:
            for event in run_suite(pair, prompts, ways, sampling, repeats):
                if isinstance(event, Row):
                    status.clear()
                    rows.append(event)
                    typer.echo(_row(event))
                else:
                    status.show(_step(event))
    finally:
        # An interrupted run keeps what it has measured.
        status.clear()
        _print_means(rows)
        if json_file is not None:
            _write(rows, json_file)
    return 0


def _check_writable(path: Path) -> None:
    """Before the measurement: its results must not be lost at the end."""
    from localspec.errors import UsageError

    if path.is_dir():
        raise UsageError(f"{path} is a directory.", "Give the name of a file.")
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}.") from None


def _step(step: Step) -> str:
    where = f"prompt {step.prompt}/{step.num_prompts} · {step.category}"
    return f"{where} · {step.arm} · {step.num_tokens} tokens"


def _row(row: Row) -> str:
    rate = "n/a" if row.acceptance_rate is None else f"{row.acceptance_rate:.0%}"
    length = row.mean_acceptance_length
    drafts = f"{rate:>4} accepted · {'n/a' if length is None else f'{length:.2f}'} tokens a pass"
    speed = f"{row.tokens_per_second:7.2f} tok/s · {row.ratio:.2f}x"
    same = "" if row.same_tokens else " · other text"
    overhead = f"overhead {row.overhead_share:.1%}"
    return f"{row.category:<16} {row.arm:<10} {speed} · {drafts} · {overhead}{same}"


def _print_means(rows: list[Row]) -> None:
    from localspec.bench.suite_run import geometric_means

    for arm, mean in geometric_means(rows).items():
        worst = min(row.ratio for row in rows if row.arm == arm)
        typer.echo(f"{'geometric mean':<16} {arm:<10} {mean:.3f}x, lowest {worst:.2f}x")


def _write(rows: list[Row], path: Path) -> None:
    import json
    from dataclasses import asdict

    path.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
