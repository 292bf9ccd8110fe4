"""A catalog of tiny pairs whose files the stub serves; also for pulls in another process."""

import hashlib
import json
from pathlib import Path
from typing import Any

from localspec.models import catalog
from localspec.models.sources import transfer

TARGET, DRAFT = "tiny-target-q8_0.gguf", "tiny-draft-q4_0.gguf"
REPO, DRAFT_REPO = "maker/tiny-target-GGUF", "maker/tiny-draft-GGUF"
COMMIT = "c" * 40


def file_entry(repo: str, file: str, content: bytes, **changes: Any) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    entry = {
        "repo": repo,
        "file": file,
        "quant": "Q8_0",
        "bytes": len(content),
        "sha256": digest,
        "revision": COMMIT,
    }
    return entry | changes


def pair_entry(name: str, target: dict[str, Any], draft: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "name": name,
        "aliases": [f"{name}-Alias"],
        "tier": "core",
        "kind": "draft" if draft else "ngram",
        "target": target,
        "draft": draft,
        "alternatives": [],
        "license": "apache-2.0",
        "gated": False,
        "compat": None,
        "compat_basis": None,
        "kv_bytes_per_token_f16": None,
        "notes": "",
    }


def install(directory: Path) -> None:
    """Read the catalog from `directory` from now on, and don't dawdle between tries."""
    catalog._data = lambda file: (directory / file).read_bytes()
    transfer._PAUSES_S = (0.01,) * 5
    for cached in (catalog.pairs, catalog.wheel_files, catalog._by_name):
        cached.cache_clear()


def write(
    directory: Path, pairs: list[dict[str, Any]], wheels: dict[str, Any] | None = None
) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "pairs.json").write_text(json.dumps(pairs))
    (directory / "wheel-mirror.json").write_text(json.dumps(wheels or {}))
