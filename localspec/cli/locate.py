"""`localspec locate`: where everything lies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

Place = Literal[
    "config", "data", "cache", "models", "hub", "log", "history", "state", "themes", "presets"
]


def locate(
    place: Annotated[
        str | None, typer.Argument(help=f"One of {', '.join(get_args(Place))}; else all.")
    ] = None,
) -> None:
    """Print the directories and files that localspec uses."""
    if place is not None:
        typer.echo(_path(_known(place)))
        return
    for each in get_args(Place):
        typer.echo(f"{each:<8} {_path(each)}")


def _known(name: str) -> Place:
    from localspec.errors import UsageError

    for each in get_args(Place):
        if each == name.lower():
            known: Place = each
            return known
    raise UsageError(f'"{name}" is no place.', f"Choose from: {', '.join(get_args(Place))}.")


def _path(place: Place) -> Path:
    from localspec import paths

    if place == "hub":
        from localspec.models.sources.hub import HubSource

        return HubSource().cache.root
    return {
        "config": paths.config_file,
        "data": paths.data_dir,
        "cache": paths.cache_dir,
        "models": paths.models_dir,
        "log": paths.log_file,
        "history": paths.history_file,
        "state": paths.state_file,
        "themes": paths.user_themes_dir,
        "presets": paths.presets_dir,
    }[place]()
