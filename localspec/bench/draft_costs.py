"""What is known of this machine's costs, for ranking drafts that were never loaded."""

from __future__ import annotations

from pathlib import Path

from localspec.backends import cost_store
from localspec.backends.calibration import MAX_PASS
from localspec.bench.cost_tables import shipped
from localspec.engine.costs import CostTable
from localspec.models import records
from localspec.models.drafts.gain import Machine, Shape

_UNQUANTISED = frozenset({"F32", "F16", "BF16"})


def this_machine(quant: str) -> Machine:
    """For a target of that quantisation: arithmetic, not memory, bounds a quantised one on a
    CPU."""
    measured = _measured_here(quant)
    if measured is not None:
        name, costs = measured
        return Machine(_shape(costs), f"passes of {name} timed here", timed)
    from localspec.llama.devices import devices

    on_gpu = any(device.kind in ("gpu", "igpu") for device in devices())
    name = "gpu" if on_gpu else "f16-2core" if _is_plain(quant) else "q4_k_m-2core"
    where = "a GPU" if on_gpu else "a small CPU"
    return Machine(_shape(shipped()[name]), f"{where}'s typical costs ({name})", timed)


def timed(target: Path, draft: Path) -> CostTable | None:
    """Kept when the two were loaded last."""
    try:
        return cost_store.latest(target, draft)
    except OSError:
        return None


def _measured_here(quant: str) -> tuple[str, CostTable] | None:
    """Of the pair used last whose target is alike: quantised or not."""
    found = sorted(records.load_all(), key=lambda each: each.last_used or "", reverse=True)
    for record in found:
        target, draft = record.first("target"), record.first("draft")
        if target is None or _is_plain(target.quant) != _is_plain(quant):
            continue
        try:
            costs = cost_store.latest(target.path, draft.path if draft else None)
        except OSError:
            continue
        if costs is not None:
            return record.name, costs
    return None


def _is_plain(quant: str) -> bool:
    return quant.upper() in _UNQUANTISED


def _shape(costs: CostTable) -> Shape:
    seconds = costs.target(0)
    most = min(MAX_PASS, len(seconds) - 1)
    return {n: float(seconds[n] / seconds[1]) for n in range(1, most + 1)}
