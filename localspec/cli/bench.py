"""`localspec bench`: ways of drafting, measured on a suite of prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options

if TYPE_CHECKING:
    from localspec.backends.arm import Arm
    from localspec.backends.loading import LoadedPair
    from localspec.bench.suites import Prompt
    from localspec.engine.params import SamplingParams
    from localspec.settings import Settings


def bench(
    model: Annotated[str | None, typer.Argument(help="A model; else the default one.")] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            help="kinds (eight kinds of work), spec, edit, tuning (what the others leave out), or"
            " a JSONL file. Default kinds, with --record tuning.",
        ),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            "--arms",
            help="Any of off, draft:K (K tokens a round), draft, suffix, auto, with commas between;"
            " speeds are ratios to the first. By default off,draft:3,suffix,auto.",
        ),
    ] = None,
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
    draft_device: options.DraftDevice = None,
    tensor_split: options.TensorSplit = None,
    cpu_experts: options.CpuExperts = None,
    flash_attention: options.FlashAttention = None,
    cache_type: options.CacheType = None,
    draft_cache_type: options.DraftCacheType = None,
    threads: options.Threads = None,
    rpc: options.Rpc = None,
    fresh: options.Fresh = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write every run there.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="FILE",
            help="Instead, keep what the draft says at every token of each reply, for `simulate`;"
            " compressed when the name ends in .gz.",
        ),
    ] = None,
    yes: options.Yes = False,
) -> int:
    """Measure every way on every prompt, by turns, from cleared caches.

    Ctrl+C ends with what was measured so far.
    """
    if record is not None:
        given = {"--arms": arms, "--json": json_file, "--repeats": repeats > 1 or None}
        given |= {"--grammar": grammar, "--json-schema": json_schema}
        _refuse_beside_record([name for name, value in given.items() if value is not None])
    suite = suite or ("tuning" if record else "kinds")
    from localspec.bench.arms import default_arms, parse_arms
    from localspec.bench.output_file import check_writable
    from localspec.bench.suites import load_suite
    from localspec.cli.bench_record import record_traces
    from localspec.cli.constraints import constraints
    from localspec.cli.loaded import loaded_pair
    from localspec.cli.placement import placement
    from localspec.cli.request import reply_request
    from localspec.settings import load_settings

    settings = load_settings(
        model=model,
        max_tokens=tokens,
        temperature=temp,
        ctx=ctx,
        **placement(locals()),
        repeat_penalty=repeat_penalty,
        presence_penalty=presence_penalty,
        frequency_penalty=frequency_penalty,
        repeat_last_n=repeat_last_n,
        **constraints(logit_bias, grammar, json_schema),
    )
    prompts = load_suite(suite, per_category)
    ways = None if arms is None else parse_arms(arms)
    for path in (json_file, record):
        if path is not None:
            check_writable(path)
    sampling = reply_request(settings, seed).sampling
    with loaded_pair(settings, yes, fresh) as pair:
        if record is not None:
            record_traces(pair, prompts, sampling, record)
            return 0
        measurement = _Measurement(pair, prompts, ways or default_arms(pair), sampling, repeats)
        measurement.follow(suite, settings, json_file)
    return 0


def _refuse_beside_record(unused: list[str]) -> None:
    from localspec.errors import UsageError

    if unused:
        hint = "Traces are replayed under any arm by localspec simulate."
        raise UsageError(f"--record records, so {unused[0]} has no place beside it.", hint)


class _Measurement:
    """What is measured, shown while it is, and kept whatever ends it."""

    def __init__(
        self,
        pair: LoadedPair,
        prompts: list[Prompt],
        arms: list[Arm],
        sampling: SamplingParams,
        repeats: int,
    ) -> None:
        from localspec.bench.pace import Pace
        from localspec.bench.report import Measured

        self._pair = pair
        self._prompts = prompts
        self._arms = arms
        self._sampling = sampling
        self._repeats = repeats
        self._measured = Measured([arm.name for arm in arms])
        self._pace = Pace(len(prompts) * len(arms) * repeats)

    def follow(self, suite: str, settings: Settings, json_file: Path | None) -> None:
        from localspec.cli.bench_words import report_lines
        from localspec.cli.failure import printable

        try:
            self._run(f"{self._pair.name} · {suite} · {self._sampling.max_tokens} tokens a reply")
        finally:
            # An interrupted run keeps what it has measured.
            if json_file is not None and self._measured.runs:
                self._write(json_file, settings)
            for line in report_lines(self._measured, self._arms):
                typer.echo(printable(line))

    def _run(self, title: str) -> None:
        from contextlib import closing

        from localspec.bench.suite_run import WARMING_UP, Run, Step, run_suite
        from localspec.cli.bench_progress import sink

        pace, measured = self._pace, self._measured
        sampling = self._sampling
        events = run_suite(self._pair, self._prompts, self._arms, sampling, self._repeats)
        with (
            closing(events),  # type: ignore[type-var]
            closing(sink(title, measured, pace)) as shown,
        ):
            warm = False
            for event in events:
                match event:
                    case Step():
                        if not warm and event.arm != WARMING_UP:
                            warm = True
                            pace.start()
                        shown.show(event)
                    case Run():
                        pace.finish()
                        measured.runs.append(event)
                    case _:
                        measured.texts.append(event)

    def _write(self, path: Path, settings: Settings) -> None:
        import json

        from localspec.bench.machine import machine
        from localspec.bench.output_file import write_whole
        from localspec.cli.bench_file import content

        described = content(self._measured, self._arms, machine(self._pair, settings.threads))
        write_whole(path, (json.dumps(described, indent=1) + "\n").encode())
