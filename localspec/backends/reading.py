"""A model's weights being read, as events."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Literal

from localspec.chat.events import Event, Loading
from localspec.llama.model import LlamaModel, load_model


def reading(
    role: Literal["target", "draft"], path: Path, layers: int | Literal["auto"], device: str
) -> Generator[Event, None, LlamaModel]:
    """Yield Loading events, about one for each percent. Raises LocalspecError."""
    loading = load_model(path, layers, device)
    shown = -1.0
    while True:
        try:
            progress = next(loading)
        except StopIteration as done:
            model: LlamaModel = done.value
            return model
        if progress - shown >= 0.01:
            shown = progress
            yield Loading(role, progress)
