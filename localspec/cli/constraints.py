"""From the flags that say what a reply may be to settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from localspec.errors import UsageError


def constraints(
    logit_bias: Sequence[str] | None, grammar: str | None, json_schema: str | None
) -> dict[str, Any]:
    """Settings for `load_settings`; those of flags that were not given are absent. Raises
    UsageError."""
    if grammar is not None and json_schema is not None:
        raise UsageError("A reply can't follow both --grammar and --json-schema.")
    settings: dict[str, Any] = {}
    if logit_bias:
        settings["logit_bias"] = tuple(_bias(text) for text in logit_bias)
    # One of the two that is given replaces the other one of the configuration.
    if grammar is not None:
        settings |= {"grammar": _read(grammar), "json_schema": ""}
    if json_schema is not None:
        inline = json_schema.lstrip().startswith("{")
        text = json_schema if inline else _read(json_schema)
        settings |= {"json_schema": text, "grammar": ""}
    return settings


def _bias(text: str) -> tuple[int, float]:
    token, _, bias = text.partition("=")
    try:
        return int(token), float(bias)
    except ValueError:
        raise UsageError(
            f"--logit-bias {text}: not an id and a number.", "Write it as 15043=-2.5 or 15043=-inf."
        ) from None


def _read(name: str) -> str:
    """A file's text, which must not be empty: that would be no constraint at all."""
    try:
        text = Path(name).read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{name} can't be read: {error.strerror}.") from None
    except ValueError:
        raise UsageError(f"{name} is not UTF-8 text.") from None
    if not text.strip():
        raise UsageError(f"{name} is empty.")
    return text
