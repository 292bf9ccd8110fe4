"""A model's weights being read, as events."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Literal

from localspec.chat.events import Event, Loading
from localspec.llama.model import LlamaModel
from localspec.llama.offload import Offload
from localspec.llama.weights import load_model
from localspec.models.model_file import ModelFacts


def reading(
    role: Literal["target", "draft"],
    facts: ModelFacts,
    offload: Offload,
    words: str,
    rpc: tuple[str, ...],
) -> Generator[Event, None, LlamaModel]:
    """Yield Loading events, about one for each percent; `words` say where the layers go. Raises
    LocalspecError."""
    shown = -1.0
    with closing(load_model(facts.path, offload, facts.file_bytes, rpc)) as loading:
        while True:
            try:
                progress = next(loading)
            except StopIteration as done:
                model: LlamaModel = done.value
                return model
            if progress - shown >= 0.01:
                shown = progress
                yield Loading(role, progress, words)
