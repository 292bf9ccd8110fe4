"""The JSON file of a benchmark: every run, what follows from them, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localspec.backends.arm import Arm
    from localspec.bench.report import Measured


def content(measured: Measured, arms: Sequence[Arm], machine: dict[str, Any]) -> dict[str, Any]:
    from localspec.bench.hindsight import hindsight
    from localspec.bench.report import arm_results, kind_results, text_results

    kinds = kind_results(measured)
    auto = hindsight(kinds, arms)
    return {
        "machine": machine,
        "arms": [asdict(result) for result in arm_results(measured, kinds)],
        "kinds": [asdict(result) for result in kinds],
        "texts": [asdict(result) for result in text_results(measured)],
        "auto": None if auto is None else asdict(auto),
        "runs": rows(measured),
    }


def rows(measured: Measured) -> list[dict[str, Any]]:
    """Every run with all of its numbers, and how its greedy text compares."""
    texts = {(text.prompt, text.arm, text.repeat): text for text in measured.texts}
    return [
        asdict(run) | _verdict(texts.get((run.prompt, run.arm, run.repeat)))
        for run in measured.runs
    ]


def _verdict(text: Any) -> dict[str, Any]:
    """`same_text` is null where texts can't be compared: sampled, or broken off."""
    if text is None:
        return {"same_text": None, "difference": None}
    if text.difference is None:
        return {"same_text": True, "difference": None}
    near = {"near_tie": text.difference.is_near_tie}
    return {"same_text": False, "difference": asdict(text.difference) | near}
