"""The GGUF files on this disk that localspec knows where to look for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from localspec import paths
from localspec.models import records
from localspec.models.model_file import shard_names
from localspec.models.sources.hub import HubSource


def gguf_files(near: Path | None = None) -> list[Path]:
    """Of pairs, our own directory, the hub's cache, and the directory of `near`; each once, and of
    a split model only its first part."""
    found: dict[object, Path] = {}
    for path in _everywhere(near):
        if shard_names(path.name)[0] != path.name:
            continue
        try:
            # One file may have many names; the hub's cache is made of links.
            status = path.stat()
        except (OSError, ValueError):
            continue
        found.setdefault((path.name, status.st_size), path)
    return list(found.values())


def _everywhere(near: Path | None) -> Iterator[Path]:
    for record in records.load_all():
        yield from (file.path for file in record.files)
    yield from sorted(_listed(paths.models_dir(), "*.gguf"))
    yield from sorted(_listed(HubSource().cache.root, "models--*/snapshots/*/**/*.gguf"))
    if near is not None:
        yield from sorted(_listed(near.parent, "*.gguf"))


def _listed(directory: Path, pattern: str) -> list[Path]:
    try:
        return list(directory.glob(pattern))
    except OSError:
        return []
