"""A pair loaded for measuring, and closed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.backends.loading import LoadedPair
    from localspec.settings import Settings


@contextmanager
def loaded_pair(settings: Settings, assume_yes: bool, fresh: bool = False) -> Iterator[LoadedPair]:
    """Pull if need be, load with progress on stderr; `fresh` as in a LoadRequest. Raises
    LocalspecError."""
    from localspec.backends.loading import LoadedPair
    from localspec.cli import render
    from localspec.cli.request import load_request
    from localspec.cli.starter import ensure_model
    from localspec.cli.trial import try_first

    request = load_request(ensure_model(settings, assume_yes), settings, fresh=fresh)
    try_first(request)
    pair = LoadedPair(request)
    try:
        render.show_loading(pair.load(), settings.spec)
        yield pair
    finally:
        pair.close()
