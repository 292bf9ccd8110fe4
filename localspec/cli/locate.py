"""`localspec locate`: where everything lies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Place = Literal["config", "data", "cache", "models", "hub", "log", "history", "themes"]


def locate(
    place: Annotated[Place | None, typer.Argument(help="One of them; else all.")] = None,
) -> None:
    """Print the directories and files that localspec uses."""
    if place is not None:
        typer.echo(_path(place))
        return
    from typing import get_args

    for each in get_args(Place):
        typer.echo(f"{each:<8} {_path(each)}")


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
        "themes": paths.user_themes_dir,
    }[place]()
