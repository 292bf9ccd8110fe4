"""The JSON file of a benchmark: every run, what follows from them, and the machine."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localspec.errors import LocalspecError, UsageError

if TYPE_CHECKING:
    from localspec.bench.arms import Arm
    from localspec.bench.report import Measured


def check_writable(path: Path) -> None:
    """Before the measurement: its results must not be lost at the end. Raises UsageError."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory.", "Give the name of a file.")
    try:
        if _is_special(path):
            path.open("a", encoding="utf-8").close()
        else:
            draft = _draft_of(path)
            draft.touch()
            draft.unlink()
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}.") from None


def write(path: Path, content: dict[str, Any]) -> None:
    """All of it or nothing: a file from before stays until the new one is whole."""
    text = json.dumps(content, indent=1) + "\n"
    try:
        if _is_special(path):
            path.write_text(text, "utf-8")
        else:
            draft = _draft_of(path)
            draft.write_text(text, "utf-8")
            draft.replace(path.resolve())
    except OSError as error:
        raise LocalspecError(f"{path} can't be written: {error.strerror}.") from None


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


def _is_special(path: Path) -> bool:
    """A pipe or a device can't be replaced."""
    return path.exists() and not path.is_file()


def _draft_of(path: Path) -> Path:
    whole = path.resolve()
    return whole.with_name(f".{whole.name}.{os.getpid()}")
