"""`localspec doctor --costs`: what passes cost here, and what follows for drafting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from localspec.backends.loading import LoadedPair
    from localspec.settings import Settings

_ROW_REPEATS = 40


def show_costs(
    settings: Settings, recalibrate: bool, assume_yes: bool, as_json: bool, fresh: bool = False
) -> None:
    """Load the pair, which measures or looks again, and print. Raises LocalspecError."""
    from localspec.cli.costs_words import costs_lines
    from localspec.cli.failure import printable
    from localspec.cli.loaded import loaded_pair

    with loaded_pair(settings, assume_yes, fresh) as pair:
        if recalibrate:
            pair.recalibrate()
        found = report(pair)
    if as_json:
        typer.echo(json.dumps(found))
        return
    for line in costs_lines(found):
        typer.echo(printable(line))


def report(pair: LoadedPair) -> dict[str, Any]:
    """The object of `--json`; `costs` can be given to `simulate`. Seconds, and tokens."""
    from dataclasses import asdict
    from time import time

    from localspec.bench.prospects import prospect
    from localspec.bench.rows import row_costs
    from localspec.engine.rules import MAX_MODEL_GUESSES

    costs, store = pair.costs, pair.cost_store
    rates = (1.0, 0.8) if costs.has_draft and pair.has_draft else ()
    rows = row_costs(pair.model.n_vocab, _ROW_REPEATS)
    return {
        "model": pair.name,
        "target": pair.files.target.name,
        "draft": pair.files.draft.name if pair.has_draft and pair.files.draft else None,
        "draft_off": pair.off_reason,
        "device": pair.model.placement,
        "draft_device": pair.draft_placement,
        "file": str(store.path) if store else None,
        "age_s": max(0.0, time() - store.measured_at) if store else None,
        "costs": costs.report(),
        "seconds": _seconds(pair),
        "model_can_pay": _model_can_pay(pair),
        "prospects": [asdict(prospect(costs, rate, MAX_MODEL_GUESSES)) for rate in rates],
        "sampled_rows": [asdict(row) for row in rows],
    }


def _seconds(pair: LoadedPair) -> dict[str, dict[str, list[float]]]:
    """Of a pass, by model, range of context and tokens - 1, what lies between interpolated."""
    costs = pair.costs
    tables = {"target": costs.target, "draft": costs.draft}
    return {
        model: {bucket: tables[model](int(bucket))[1:].tolist() for bucket in buckets}
        for model, buckets in costs.report().items()
    }


def _model_can_pay(pair: LoadedPair) -> bool:
    """As the controller decides it."""
    from localspec.engine.controller import AdaptiveDrafter

    if not pair.has_draft:
        return False
    drafter = pair.speculation("draft").drafter
    return isinstance(drafter, AdaptiveDrafter) and drafter.model_can_pay
