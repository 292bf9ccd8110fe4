"""What the user chose on the screen, kept for the next start. The config file stays the user's."""

from __future__ import annotations

import json

from localspec import paths
from localspec.whole_file import write_whole


def recall(name: str) -> str:
    """The value; empty when there is none, or none that can be read."""
    value = _read().get(name)
    return value if isinstance(value, str) else ""


def remember(name: str, value: str) -> None:
    """Raises OSError when it can't be written."""
    write_whole(paths.state_file(), json.dumps(_read() | {name: value}).encode())


def _read() -> dict[str, object]:
    try:
        values = json.loads(paths.state_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
