"""`localspec recommend`: which pairs suit this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from localspec.cli import machine_options, options

if TYPE_CHECKING:
    from localspec.bench.recommend import Recommendation
    from localspec.models.placement import MemoryOf


def recommend(
    gpu: machine_options.Gpu = None,
    ram: machine_options.Ram = None,
    recalibrate: Annotated[
        bool, typer.Option("--recalibrate", help="Measure the memory's speed again.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Name the three best pairs for this machine, how fast they will be, and what they need.

    They fit with a context of 8192 tokens and write at least 8 tokens a second.

    The one with the most parameters comes first; of those within a quarter of it, the fastest.

    Speeds are reckoned from the memory's bandwidth, with three of four guesses accepted.
    """
    from localspec.cli.failure import printable

    devices, speeds, found = weighed(gpu, ram, recalibrate)
    if json:
        typer.echo(_as_json(devices, speeds, found))
    else:
        for line in [*lines(devices, speeds, found), *map(_next_step, found[:1])]:
            typer.echo(printable(line))


def weighed(
    gpu: str | None = None, ram: str | None = None, recalibrate: bool = False
) -> tuple[tuple[MemoryOf, ...], dict[str, float], list[Recommendation]]:
    """The devices, how fast each reads, and what suits them. Raises UsageError."""
    from localspec.bench import recommend as ranking
    from localspec.bench.bandwidths import bandwidths

    devices = machine_options.machine(gpu, ram)
    speeds = bandwidths(devices, recalibrate)
    return devices, speeds, ranking.recommend(devices, speeds, gpu is None and ram is None)


def lines(
    devices: tuple[MemoryOf, ...], speeds: dict[str, float], found: list[Recommendation]
) -> list[str]:
    from localspec.bench.recommend import COMFORTABLE
    from localspec.cli import table
    from localspec.models.placement import CPU
    from localspec.models.placement_words import machine_words

    told = [f"on {machine_words(devices)};"
            f" memory reads {speeds[CPU] / 1e9:.0f} GB/s"]  # fmt: skip
    if not found:
        return [*told, "", "No pair of the catalog fits here."]
    head = ("NAME", "QUANT", "DOWNLOAD", "NEEDS", "WHERE", "PLAIN", "DRAFTING")
    told += ["", *table.lines(head, [_row(each) for each in found]), ""]
    if found[0].speed.best < COMFORTABLE:
        told.append(f"Nothing here writes {COMFORTABLE:.0f} tokens a second; these are fastest.")
    return told + _remarks(found)


def _next_step(first: Recommendation) -> str:
    if not first.download:
        return f"The first is on this disk: localspec chat {first.name}"
    return f"To get the first: localspec pull {first.name}:{first.quant}"


def _row(each: Recommendation) -> list[str]:
    from localspec.models.placement_words import short
    from localspec.models.selection import size_text

    placement, speed = each.placement, each.speed
    needed = sum(use.needed for use in placement.uses)
    drafting = "won't pay" if each.has_draft else "no draft"
    if speed.num_draft_tokens:
        drafting = f"{speed.drafted:.0f} tok/s"
    mark = "" if speed.measured else "~"
    return [
        each.name,
        each.quant,
        size_text(each.download) if each.download else "is here",
        size_text(needed),
        short(placement, each.num_layers),
        f"{mark}{speed.plain:.0f} tok/s",
        mark + drafting if speed.num_draft_tokens else drafting,
    ]


def _remarks(found: list[Recommendation]) -> list[str]:
    from localspec.models.placement_words import legend, short

    lines = legend(" ".join(short(each.placement, each.num_layers) for each in found))
    if any(not each.speed.measured for each in found):
        lines.append("~ reckoned from the memory's speed, not measured.")
    if any(each.has_draft and not each.speed.num_draft_tokens for each in found):
        lines.append("Where drafting won't pay, checking a draft costs as much as it saves.")
    elif all(not each.placement.devices and not each.speed.num_draft_tokens for each in found):
        lines.append("On a CPU drafting seldom pays for a quantised model: a check costs too much.")
    gated = [each.name for each in found if each.gated]
    if gated:
        lines.append(f"The licence must be accepted on the hub first: {', '.join(gated)}.")
    return lines


def _as_json(
    devices: tuple[MemoryOf, ...], speeds: dict[str, float], found: list[Recommendation]
) -> str:
    import json
    from dataclasses import asdict

    from localspec.bench.expected_speed import ACCEPTANCE
    from localspec.bench.recommend import COMFORTABLE

    def one(each: Recommendation) -> dict[str, Any]:
        return asdict(each) | {"needs": sum(use.needed for use in each.placement.uses)}

    return json.dumps(
        {
            "devices": [asdict(device) for device in devices],
            "bytes_per_second": speeds,
            "acceptance_rate": ACCEPTANCE,
            "comfortable_tokens_per_second": COMFORTABLE,
            "pairs": [one(each) for each in found],
        }
    )
