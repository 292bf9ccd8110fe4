"""Tiny pairs on a stub hub, for every test of a pull."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from huggingface_hub import constants

from localspec.models import catalog
from localspec.models.events import Event, Notice
from localspec.models.pull import PullRequest, pull
from localspec.models.sources import transfer, waiting
from tests.models import tiny_catalog
from tests.models.hub_stub import HubStub, serving
from tests.tiny_gguf import write_model

T = TypeVar("T")


@dataclass
class Scene:
    """A stub hub with one pair called `tiny`."""

    stub: HubStub
    home: Path
    target: bytes
    draft: bytes
    pairs: list[dict[str, Any]] = field(default_factory=list)

    def write(self, wheels: dict[str, Any] | None = None) -> None:
        tiny_catalog.write(self.home / "catalog", self.pairs, wheels)
        tiny_catalog.install(self.home / "catalog")

    def pull(self, name: str = "tiny", **options: Any) -> list[Event]:
        return list(pull(PullRequest(name, **options)))

    def hub_file(self, repo: str, file: str) -> Path:
        root = Path(constants.HF_HUB_CACHE) / ("models--" + repo.replace("/", "--"))
        return root / "snapshots" / tiny_catalog.COMMIT / file

    @property
    def target_path(self) -> str:
        return f"/{tiny_catalog.REPO}/resolve/*/{tiny_catalog.TARGET}"

    @property
    def draft_path(self) -> str:
        return f"/{tiny_catalog.DRAFT_REPO}/resolve/*/{tiny_catalog.DRAFT}"


@pytest.fixture(scope="session")
def tiny_bytes(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    directory = tmp_path_factory.mktemp("tiny")
    target = write_model(directory / "target.gguf", n_vocab=320, n_layer=2)
    draft = write_model(directory / "draft.gguf", n_vocab=384, n_layer=1, n_embd=32)
    return target.read_bytes(), draft.read_bytes()


@pytest.fixture
def scene(
    own_home: Path, tiny_bytes: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scene]:
    for module, name in ((catalog, "_data"), (transfer, "_PAUSES_S")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(waiting, "_PAUSE_S", 0.01)
    target, draft = tiny_bytes
    with serving() as stub:
        _use_stub(monkeypatch, stub.url, own_home)
        stub.add_hub_file(tiny_catalog.REPO, tiny_catalog.TARGET, target)
        stub.add_hub_file(tiny_catalog.DRAFT_REPO, tiny_catalog.DRAFT, draft)
        scene = Scene(stub, own_home, target, draft)
        scene.pairs = [
            tiny_catalog.pair_entry(
                "tiny",
                tiny_catalog.file_entry(tiny_catalog.REPO, tiny_catalog.TARGET, target),
                tiny_catalog.file_entry(
                    tiny_catalog.DRAFT_REPO, tiny_catalog.DRAFT, draft, quant="Q4_0"
                ),
            )
        ]
        scene.write()
        yield scene
    for cached in (catalog.pairs, catalog.wheel_files, catalog._by_name):
        cached.cache_clear()


def _use_stub(monkeypatch: pytest.MonkeyPatch, url: str, home: Path) -> None:
    """The library reads its environment once, when imported; here it is long imported."""
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "huggingface" / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("PIP_INDEX_URL", url + "/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def finish(asking: Generator[Event, None, T]) -> tuple[list[Event], T]:
    """The events of a generator, and what it returns."""
    events = []
    while True:
        try:
            events.append(next(asking))
        except StopIteration as end:
            value: T = end.value
            return events, value


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]
