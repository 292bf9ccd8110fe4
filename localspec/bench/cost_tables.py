"""Tables of costs by name, from a file, entered by hand, or kept for a model of this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from localspec.backends import cost_store, kept_file
from localspec.backends.calibration import MAX_PASS
from localspec.engine.costs import CostTable
from localspec.errors import LocalspecError, UsageError
from localspec.models import store

_INVALID = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
_FORM = "Milliseconds by tokens look like 1=30,4=32,8=33,16=40,draft=2 (or draft:2=2.1)."


def shipped() -> dict[str, CostTable]:
    """Those that the tuner weighs, by name."""
    text = files("localspec.bench").joinpath("costs.json").read_text("utf-8")
    return {name: table_of(report) for name, report in json.loads(text).items()}


def table_of(report: Mapping[str, Any]) -> CostTable:
    """Of `CostTable.report()`, or what `doctor --costs --json` prints around it; anything else
    that stands there is passed over. Raises what `CostTable.from_report` does."""
    models = report.get("costs", report)
    known = {model: models[model] for model in ("target", "draft") if models.get(model)}
    return CostTable.from_report(known, MAX_PASS)


def copied(costs: CostTable) -> CostTable:
    """One whose observations don't change the other."""
    return CostTable.from_report(costs.report(), MAX_PASS)


def find(text: str) -> CostTable:
    """A shipped name, milliseconds, a JSON file, or a model. Raises UsageError."""
    tables = shipped()
    if text in tables:
        return tables[text]
    if "=" in text and not Path(text).exists():
        return _entered(text)
    if Path(text).is_file():
        return _from_file(Path(text))
    return _kept(text, ", ".join(tables))


def _from_file(path: Path) -> CostTable:
    try:
        return table_of(kept_file.read(path))
    except _INVALID:
        hint = "It should be what localspec doctor --costs --json prints."
        raise UsageError(f"{path} is no table of costs.", hint) from None


def _kept(name: str, known: str) -> CostTable:
    hint = f"Use recorded, {known}, a JSON file, 1=30,4=32,draft=2, or a model."
    try:
        pair = store.resolve(name)
        found = cost_store.latest(pair.target, pair.draft)
    except (LocalspecError, OSError):
        raise UsageError(f"There are no costs named {name}.", hint) from None
    if found is None:
        how = f"Measure them: localspec doctor --costs {pair.name}"
        raise UsageError(f"No costs of {pair.name} are known here.", how)
    return found


def _entered(text: str) -> CostTable:
    points: dict[str, dict[str, float]] = {"target": {}, "draft": {}}
    for entry in text.split(","):
        where, _, milliseconds = entry.strip().partition("=")
        model, size = _place(where.strip())
        try:
            if not 1 <= int(size) <= MAX_PASS or size in points[model]:
                raise ValueError
            points[model][str(int(size))] = float(milliseconds) / 1e3
        except ValueError:
            raise UsageError(f"Costs {text}: {entry.strip()} can't be used.", _FORM) from None
    if "1" not in points["target"]:
        raise UsageError(f"Costs {text}: a pass of 1 token is missing.", _FORM)
    try:
        return table_of({model: {"0": known} for model, known in points.items() if known})
    except _INVALID:
        raise UsageError(f"Costs {text}: times must be above 0.", _FORM) from None


def _place(where: str) -> tuple[str, str]:
    model, _, size = where.partition(":")
    return ("draft", size or "1") if model == "draft" else ("target", where)
