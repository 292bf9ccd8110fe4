"""What the user chose on the screen, kept for the next start. The config file stays the user's."""

from __future__ import annotations

import json
import os

from localspec import paths


def recall(name: str) -> str:
    """The value; empty when there is none, or none that can be read."""
    value = _read().get(name)
    return value if isinstance(value, str) else ""


def remember(name: str, value: str) -> None:
    """Raises OSError when it can't be written."""
    file = paths.state_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: another chat may read it now.
    new = file.with_name(f"{file.name}.{os.getpid()}")
    new.write_text(json.dumps(_read() | {name: value}), encoding="utf-8")
    new.replace(file)


def _read() -> dict[str, object]:
    try:
        values = json.loads(paths.state_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
