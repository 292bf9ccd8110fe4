"""A catalog of the test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from localspec.models import catalog
from localspec.models.sources import transfer
from tests.models import tiny_catalog

Install = Callable[[list[dict[str, Any]]], None]


@pytest.fixture
def own_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Replaces the catalog by these entries; without a call there are none."""
    for module, name in ((catalog, "_data"), (transfer, "_PAUSES_S")):
        monkeypatch.setattr(module, name, getattr(module, name))

    def install(pairs: list[dict[str, Any]]) -> None:
        tiny_catalog.write(tmp_path / "catalog", pairs)
        tiny_catalog.install(tmp_path / "catalog")

    install([])
    yield install
    for cached in (catalog.pairs, catalog.wheel_files, catalog._by_name):
        cached.cache_clear()


def entry(name: str, target: str, draft: str | None = None, **changes: Any) -> dict[str, Any]:
    """A pair of 40 GB and 1 GB with a vocabulary of 260, as the catalog writes it."""
    files = [
        tiny_catalog.file_entry(
            f"maker/{file}", f"{file}.gguf", b"", bytes=size, n_vocab=260, params_b=size / 1e9
        )
        for file, size in ((target, 40 * 10**9), (draft, 10**9))
        if file
    ]
    pair = tiny_catalog.pair_entry(name, files[0], files[1] if draft else None)
    return pair | {"compat_basis": "verified"} | changes
