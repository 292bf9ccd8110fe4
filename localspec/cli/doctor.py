"""`localspec doctor`: what is here, what is broken, what to do; with a pair, what it costs."""

from __future__ import annotations

from typing import Annotated

import typer

from localspec.cli import options


def doctor(
    model: Annotated[
        str | None, typer.Argument(help="With --costs: a model; else the default one.")
    ] = None,
    costs: Annotated[
        bool,
        typer.Option("--costs", help="Load a pair and show what its passes cost on this machine."),
    ] = False,
    recalibrate: Annotated[
        bool, typer.Option("--recalibrate", help="With --costs: measure all of it again.")
    ] = False,
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
    yes: options.Yes = False,
    json: options.Json = False,
) -> int:
    """Show the build, devices, drivers, disk, hub and versions, and the next step for each fault.

    Exits with 1 if something is broken.

    With --costs: what a pass costs by its number of tokens, and what drafting can gain by that.
    """
    from localspec.cli.placement import placement

    if costs:
        from localspec.cli.doctor_costs import show_costs
        from localspec.settings import load_settings

        settings = load_settings(model=model, ctx=ctx, **placement(locals()))
        show_costs(settings, recalibrate, yes, json, fresh)
        return 0
    if model is not None or recalibrate:
        from localspec.errors import UsageError

        raise UsageError("A model goes with --costs.", "Use localspec doctor --costs MODEL.")
    asked = {"ctx": ctx} | placement(locals())
    if named := next((name for name, value in asked.items() if value is not None), None):
        from localspec.errors import UsageError

        flag = f"--{named.replace('_', '-')}"
        raise UsageError(f"{flag} goes with --costs.", "Use localspec doctor --costs MODEL.")
    from localspec.cli.doctor_words import report_lines
    from localspec.cli.failure import printable
    from localspec.health.examination import examine

    facts, findings = examine()
    if json:
        from dataclasses import asdict
        from json import dumps

        typer.echo(dumps(facts | {"findings": [asdict(finding) for finding in findings]}))
    else:
        for line in report_lines(facts, findings):
            typer.echo(printable(line))
    return 1 if any(finding.is_broken for finding in findings) else 0
