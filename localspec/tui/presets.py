"""Named system prompts with their sampling, a file each in the config directory."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from localspec import paths
from localspec.errors import UsageError
from localspec.tui.options import SAMPLING, SPECULATION
from localspec.whole_file import write_whole

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_FIELDS = {"system", *SAMPLING, *SPECULATION}
_MAX_BYTES = 1_048_576
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def names() -> list[str]:
    files = paths.presets_dir().glob("*.toml")
    return sorted(file.stem for file in files if _NAME.fullmatch(file.stem))


def load(name: str) -> dict[str, str]:
    """Field to text, `system` among them; fields that the file leaves out stay as they are. Raises
    UsageError."""
    file = _file(name)
    if not file.is_file():
        known = ", ".join(names())
        hint = f"There are {known}." if known else "/preset save NAME writes one."
        raise UsageError(f"There is no preset {name}.", hint)
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise ValueError("it is too large")
        fields = tomllib.loads(file.read_bytes().decode())
        if unknown := fields.keys() - _FIELDS:
            raise ValueError(f"{', '.join(sorted(unknown))} is not a field of a preset")
        for field, value in fields.items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise ValueError(f"{field} must be a text or a number")
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"The preset {file} can't be read: {error}.") from None
    return {field: str(value) for field, value in fields.items()}


def save(name: str, system: str, texts: Mapping[str, str]) -> None:
    """Write what is in force; one of the same name is replaced. Raises UsageError."""
    file = _file(name)
    fields = {"system": system} | {field: texts[field] for field in [*SAMPLING, *SPECULATION]}
    lines = [f"{field} = {_value(field, text)}\n" for field, text in fields.items()]
    try:
        write_whole(file, "".join(lines).encode("utf-8", "replace"))
    except OSError as error:
        raise UsageError(f"The preset {file} can't be written: {error.strerror}.") from None


def delete(name: str) -> None:
    """Raises UsageError."""
    try:
        _file(name).unlink()
    except FileNotFoundError:
        raise UsageError(f"There is no preset {name}.") from None
    except OSError as error:
        raise UsageError(f"The preset {name} can't be deleted: {error.strerror}.") from None


def _file(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} can't be a preset's name.", "Use letters, digits, dots and dashes."
        )
    return paths.presets_dir() / f"{name}.toml"


def _value(field: str, text: str) -> str:
    if field != "system" and _PLAIN_NUMBER.fullmatch(text):
        return text
    # TOML's strings are JSON's, but for one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
