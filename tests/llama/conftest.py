"""Loaded models of every kind of cache, shared by the tests: contexts are each test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from localspec.llama.context import LlamaDecoder
from localspec.llama.model import LlamaModel
from localspec.llama.weights import load_model
from tests.tiny_kinds import write_kind

DRAFT_NOISE = 0.1
"""A draft of the same kind then agrees on two tokens of three."""


def load(path: Path) -> LlamaModel:
    loading = load_model(path)
    while True:
        try:
            next(loading)
        except StopIteration as done:
            return done.value


class KindModels:
    """Models by kind; `noise` is a draft's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._models: dict[tuple[str, float], LlamaModel] = {}

    def get(self, kind: str, noise: float = 0.0) -> LlamaModel:
        key = kind, noise
        if key not in self._models:
            path = self._folder / f"{kind}-{noise}.gguf"
            self._models[key] = load(write_kind(path, kind, noise=noise))
        return self._models[key]

    def close(self) -> None:
        for model in self._models.values():
            model.close()


@pytest.fixture(scope="session")
def kind_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KindModels]:
    models = KindModels(tmp_path_factory.mktemp("kinds"))
    yield models
    models.close()


MakeDecoder = Callable[..., LlamaDecoder]


@pytest.fixture
def make_decoder(kind_models: KindModels) -> Iterator[MakeDecoder]:
    """Makes decoders of a kind: `make_decoder(kind, max_logits=9, noise=0.0, n_ctx=1024)`."""
    opened: list[LlamaDecoder] = []

    def make(kind: str, max_logits: int = 9, noise: float = 0.0, n_ctx: int = 1024) -> LlamaDecoder:
        opened.append(LlamaDecoder(kind_models.get(kind, noise), n_ctx, max_logits, threads=1))
        return opened[-1]

    yield make
    for decoder in opened:
        decoder.close()
