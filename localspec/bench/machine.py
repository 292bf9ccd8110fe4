"""What was measured on: without it, a number is worth nothing elsewhere."""

from __future__ import annotations

import platform
from typing import Any

from localspec import __version__
from localspec.backends.loading import LoadedPair
from localspec.llama import build, devices


def machine(pair: LoadedPair, threads: int | None) -> dict[str, Any]:
    return {
        "model": pair.name,
        "target": _file(pair.files.target),
        "draft": _file(pair.files.draft) if pair.has_draft and pair.files.draft else None,
        "draft_off": pair.off_reason,
        "device": pair.model.placement,
        "draft_device": pair.draft_placement,
        "n_ctx": pair.target.n_ctx,
        "threads": threads or devices.physical_cores(),
        "cpu_features": build.cpu_features(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "localspec": __version__,
        "llama_cpp": build.library_version(),
        "llama_cpp_python": build.binding_version(),
    }


def _file(path: Any) -> dict[str, Any]:
    return {"name": path.name, "bytes": path.stat().st_size}
