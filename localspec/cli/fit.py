"""`localspec fit`: which quantisation fits with which context, and what goes where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import machine_options, options

if TYPE_CHECKING:
    from localspec.models.candidates import Candidates


def fit(
    name: Annotated[
        str,
        typer.Argument(help="A name, or user/repo[:QUANT] of the hub."),
    ],
    ctx: Annotated[
        int | None, typer.Option("--ctx", metavar="N", min=256, help="Only this context.")
    ] = None,
    quant: Annotated[
        str | None, typer.Option("--quant", metavar="Q", help="Show the parts of this one.")
    ] = None,
    cache_type: Annotated[
        str | None,
        typer.Option("--cache-type", metavar="TYPE", help="Of the target's cache: q8_0, say."),
    ] = None,
    gpu: machine_options.Gpu = None,
    ram: machine_options.Ram = None,
    measure: Annotated[
        bool,
        typer.Option("--measure", help="Load the pair, and compare with what llama.cpp takes."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Show which quantisation of a pair fits with which context, and what goes where."""
    from localspec.cli import fit_words
    from localspec.cli.failure import printable, say
    from localspec.errors import UsageError
    from localspec.models.fit import contexts, fit_table
    from localspec.settings import load_settings

    if measure and (gpu or ram):
        raise UsageError("--measure is of this machine: it goes without --gpu and --ram.")
    settings = load_settings(ctx=ctx, cache_type=cache_type)
    candidates, named = _candidates(name, json)
    shown = _chosen(candidates, quant or named)
    devices = machine_options.machine(gpu, ram, settings.rpc)
    kinds = "f16" if settings.cache_type == "auto" else settings.cache_type
    trained = candidates.chosen.memory.n_ctx_train
    part_ctx = min(settings.ctx, trained or settings.ctx)
    if ctx and part_ctx < ctx:
        say(f"localspec: {candidates.name} was trained on {part_ctx} tokens: no more is loaded.")
    rows = fit_table(candidates, devices, (part_ctx,) if ctx else contexts(trained), kinds)
    parts = fit_words.Parts.of(candidates, shown, devices, part_ctx, kinds)
    if measure:
        from localspec.cli.fit_measured import show

        show(candidates, parts.placement, devices, settings.rpc, json)
    elif json:
        typer.echo(fit_words.as_json(candidates, devices, rows, parts))
    else:
        for line in fit_words.lines(candidates, devices, rows, parts):
            typer.echo(printable(line))


def _candidates(name: str, quiet: bool) -> tuple[Candidates, str | None]:
    """With the quantisation, if it stands in the name."""
    from localspec.cli.progress import answer
    from localspec.errors import UsageError
    from localspec.models import store
    from localspec.models.candidates import candidates_of
    from localspec.models.reference import Repo, parse
    from localspec.models.remote_candidates import remote_candidates

    asked = parse(name)
    record = store.find_record(asked)
    if isinstance(asked, Repo) and record is None:
        return answer(remote_candidates(asked), quiet=quiet), asked.quant
    found = candidates_of(record.name if record else getattr(asked, "name", name))
    if found is None:
        raise UsageError(f"The catalog doesn't know how large {name} is.", _ask_hub(name))
    return found, asked.quant


def _ask_hub(name: str) -> str:
    from localspec.models import catalog
    from localspec.models.offers import quant_of

    pair = catalog.find(name)
    if pair is None:
        return "Pull it first."
    quant = pair.target.quant or quant_of(pair.target.file)
    place = f"{pair.target.repo}:{quant}" if quant else pair.target.repo
    return f"`localspec fit {place}` asks the hub."


def _chosen(candidates: Candidates, quant: str | None) -> str:
    from localspec.errors import UsageError

    known = {each.quant.lower(): each.quant for each in candidates.targets}
    found = known.get((quant or candidates.default).lower())
    if found is None:
        listed = ", ".join(known.values())
        raise UsageError(f"Nothing is known of {quant}.", f"Choose from: {listed}.")
    return found
