"""`localspec fit --measure`: the estimate beside what llama.cpp took."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from localspec.backends.measuring import Measured
    from localspec.models.candidates import Candidates
    from localspec.models.placement import MemoryOf, Placement

_PARTS = ("weights", "cache", "compute")


def show(
    candidates: Candidates,
    placement: Placement,
    devices: Sequence[MemoryOf],
    rpc: tuple[str, ...],
    as_json: bool,
) -> None:
    """Raises NotPulled, OutOfMemory, NativeFailure; UsageError where the plan doesn't fit."""
    from localspec.backends.interface import LoadRequest
    from localspec.backends.measuring import measure
    from localspec.cli.trial import try_first
    from localspec.errors import UsageError
    from localspec.models import store
    from localspec.models.model_file import read_model
    from localspec.models.placing import uses_by_model

    pair = store.resolve(candidates.name)
    if not placement.fits:
        raise UsageError(f"{candidates.name} doesn't fit: {placement.reason}", "Give less --ctx.")
    try_first(LoadRequest(pair.name, ctx=placement.n_ctx, rpc=rpc))
    draft = read_model(pair.draft) if pair.draft else None
    reckoned = uses_by_model(candidates.chosen.memory, candidates.draft, devices, placement)
    rows = []
    for measured in measure(read_model(pair.target), draft, placement, rpc):
        estimate = reckoned[measured.role][measured.device]
        rows.append(_row(measured, {part: getattr(estimate, part) for part in _PARTS}))
    if as_json:
        typer.echo(json.dumps({"n_ctx": placement.n_ctx, "models": rows}))
        return
    _print(rows, placement)


def _row(measured: Measured, estimate: dict[str, int]) -> dict[str, Any]:
    taken = {part: getattr(measured, part) for part in _PARTS}
    row: dict[str, Any] = {"role": measured.role, "device": measured.device}
    row["mapped"] = measured.mapped
    for part in _PARTS:
        row[part] = {"estimate": estimate[part], "allocated": taken[part]}
    total, allocated = sum(estimate.values()), sum(taken.values())
    row["total"] = {"estimate": total, "allocated": allocated}
    return row


def _print(rows: list[dict[str, Any]], placement: Placement) -> None:
    from localspec.cli import table

    typer.echo(f"context {placement.n_ctx}, cache {placement.cache_type_k}: estimate, allocated")
    head = ("MODEL", "DEVICE", *(part.upper() for part in _PARTS), "TOTAL")
    body = [
        [row["role"], row["device"], *(_pair(row, part) for part in (*_PARTS, "total"))]
        for row in rows
    ]
    for line in table.lines(head, body):
        typer.echo(line)


def _pair(row: dict[str, Any], part: str) -> str:
    estimate, allocated = row[part]["estimate"], row[part]["allocated"]
    text = f"{estimate / 1e6:.1f} / {allocated / 1e6:.1f} MB"
    if row["mapped"] and part in ("weights", "total"):
        return f"{text} mapped"
    if allocated == 0:
        return text
    # Rounded first: minus a thousandth would be shown as -0.0.
    return f"{text} ({round(100 * (estimate / allocated - 1), 1) + 0.0:+.1f} %)"
