"""From the flags that say where models go to settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localspec.errors import UsageError

_AS_GIVEN = (
    "device",
    "draft_device",
    "tensor_split",
    "flash_attention",
    "cache_type",
    "draft_cache_type",
    "threads",
    "rpc",
)
_LAYERS = {"gpu_layers": "auto", "draft_gpu_layers": "auto", "cpu_experts": "all"}
"""With the word that stands for a number."""
PLACEMENT = (*_AS_GIVEN, *_LAYERS)
_MOST_DIGITS = 18


def placement(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Settings for `load_settings`, of the local variables of a command that takes all of these
    flags as its parameters; None was not given. Raises UsageError."""
    given = {name: parameters[name] for name in _AS_GIVEN}
    return given | {name: _layers(parameters[name], word) for name, word in _LAYERS.items()}


def _layers(text: str | None, word: str) -> Any:
    if text is None or text == word:
        return text
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        hint = f"Use {word} or a number from 0."
        raise UsageError(f"{text!r} is not a number of layers.", hint)
    return int(text)
