"""Every test runs in a home of its own and without the network's hub."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from localspec import paths
from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.errors import LocalspecError
from localspec.models import records, store
from localspec.models.records import PairRecord, StoredFile
from tests.tiny_gguf import write_model

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs with Ctrl+C ignored, and children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_REAL_DATA_DIR = paths.data_dir()
_REAL_HF = {name: os.environ.get(name) for name in ("HF_HOME", "HF_HUB_CACHE")}


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing a test does may touch the developer's own files."""
    home = tmp_path_factory.mktemp("home")
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"LOCALSPEC_{name}_DIR", str(home / name.lower()))
    monkeypatch.setenv("HF_HOME", str(home / "huggingface"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home


@dataclass(frozen=True)
class TinyFiles:
    """A target, a draft that often agrees with it, and one with another vocabulary."""

    target: Path
    draft: Path
    stranger: Path


@pytest.fixture(scope="session")
def tiny_files(tmp_path_factory: pytest.TempPathFactory) -> TinyFiles:
    """Random models that llama.cpp loads in milliseconds."""
    folder = tmp_path_factory.mktemp("tiny")
    return TinyFiles(
        target=write_model(folder / "target.gguf", spread=4.0, n_ctx_train=32768),
        draft=write_model(folder / "draft.gguf", spread=4.0, noise=0.02, n_ctx_train=32768),
        stranger=write_model(folder / "stranger.gguf", n_vocab=900, n_ctx_train=32768),
    )


@pytest.fixture
def tiny_pair(own_home: Path, tiny_files: TinyFiles) -> str:
    """The name of a registered tiny pair."""
    register("tiny", target=tiny_files.target, draft=tiny_files.draft)
    return "tiny"


@pytest.fixture
def pair(tiny_pair: str) -> Iterator[LoadedPair]:
    """The tiny pair, loaded."""
    with closing(LoadedPair(LoadRequest(tiny_pair, ctx=512, threads=1))) as loaded:
        list(loaded.load())
        yield loaded


def register(name: str, **files: Path) -> None:
    """A record as `localspec add` and a first load leave it, without the pair check."""
    stored = tuple(
        StoredFile(role=role, path=path, bytes=path.stat().st_size, owned=False).tried()
        for role, path in files.items()
    )
    records.save(PairRecord(name=name, source="local", files=stored, verified=True))


@pytest.fixture
def starter_pair(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The pulled starter pair's name; skips where it was not pulled. For tests marked `model`."""
    monkeypatch.setenv("LOCALSPEC_DATA_DIR", str(_REAL_DATA_DIR))
    for name, value in _REAL_HF.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    try:
        return store.resolve("qwen2.5-coder-1.5b").name
    except LocalspecError:
        pytest.skip("the starter pair is not pulled: localspec pull qwen2.5-coder-1.5b")
