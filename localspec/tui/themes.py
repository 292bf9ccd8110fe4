"""Themes as files: those that come with localspec, then the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import Theme

from localspec import paths

PREFIX = "localspec-"
DEFAULT = f"{PREFIX}dark"

_COLORS = {
    "primary", "secondary", "warning", "error", "success", "accent",
    "foreground", "background", "surface", "panel", "boost",
}  # fmt: skip


_ORIGINS = {"draft": "success", "suffix": "accent", "predicted": "primary", "rejected": "error"}
"""Colours of tokens, and what they are where a theme doesn't say."""


@dataclass(frozen=True, slots=True)
class Themes:
    """What could be read, and a sentence for each file that could not."""

    loaded: tuple[Theme, ...]
    faults: tuple[str, ...]


def load_themes(folders: Iterable[Path] | None = None) -> Themes:
    """Themes of all folders; a later folder's theme replaces one of the same name."""
    folders = folders or (paths.shipped_themes_dir(), paths.user_themes_dir())
    loaded: dict[str, Theme] = {}
    faults = []
    for file in (file for folder in folders for file in sorted(folder.glob("*.toml"))):
        try:
            loaded[file.stem] = read_theme(file)
        except (OSError, ValueError, TypeError, ColorParseError) as error:
            faults.append(f"The theme {file} was left out: {error}")
    return Themes(tuple(loaded.values()), tuple(faults))


def read_theme(file: Path) -> Theme:
    """The theme of one file, named after it. Raises OSError, ValueError, TypeError."""
    fields = tomllib.loads(file.read_text(encoding="utf-8"))
    if unknown := fields.keys() - _COLORS - _ORIGINS.keys() - {"dark"}:
        raise ValueError(f"{', '.join(sorted(unknown))} is not a field of a theme")
    for name, value in fields.items():
        if not isinstance(value, bool if name == "dark" else str):
            raise ValueError(f"{name} can't be {value!r}")
    origins = {f"origin-{name}": fields.pop(name) for name in _ORIGINS if name in fields}
    theme = Theme(name=file.stem, variables=origins, **fields)
    # Colours are only parsed here; later it would be in the middle of a repaint.
    theme.to_color_system().generate()
    for color in origins.values():
        Color.parse(color)
    return theme


def origin_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The colours of tokens by the other colours of a theme."""
    return {f"origin-{name}": variables[like] for name, like in _ORIGINS.items()}
