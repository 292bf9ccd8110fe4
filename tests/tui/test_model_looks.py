"""The look of the list of models, and of a pull under way. Update as in test_snapshots.py."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from localspec.chat.events import Ready
from localspec.chat.history import History
from localspec.models import catalog
from localspec.models.records import PairRecord, StoredFile, save
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.pull_progress import PulledFile, PullProgress
from tests.conftest import TinyFiles
from tests.models import tiny_catalog
from tests.models.scene import Scene, scene, tiny_bytes
from tests.tui.conftest import Clock, Desk
from tests.tui.scripted import ScriptedBackend
from tests.tui.shelf_desk import ShelfDesk

__all__ = ["scene", "tiny_bytes"]

LISTED = {
    "qwen2.5-coder-1.5b", "llama3-70b", "llama3.1-8b", "qwen3-30b-a3b", "phi4-14b",
    "gpt-oss-120b", "mistral-large", "smollm2-135m", "ministral3-14b",
}  # fmt: skip
PULLED = PullProgress(
    "llama3.1-8b",
    (
        PulledFile("target", "t", 1_673_000_000, 4_920_739_232),
        PulledFile("draft", "d", 0, 807_694_464),
    ),
    "downloading",
    "target",
    31_200_000.0,
)


@pytest.fixture
def few(scene: Scene, tiny_files: TinyFiles) -> Scene:
    """Some of the real catalog, whatever else is added to it, and one pair on the disk."""
    real = Path(catalog.__file__).with_name("pairs.json").read_bytes()
    pairs = [pair for pair in json.loads(real) if pair["name"] in LISTED]
    tiny_catalog.write(scene.home / "catalog", pairs)
    tiny_catalog.install(scene.home / "catalog")
    file = StoredFile(
        role="target", path=tiny_files.target, bytes=tiny_files.target.stat().st_size, quant="Q4_1"
    )
    save(
        PairRecord(
            name="smollm2-135m", source="hub", license="apache-2.0", files=(file,), verified=True
        )
    )
    return scene


@pytest.mark.parametrize("width", [100, 140])
@pytest.mark.parametrize("pulled", [None, PULLED], ids=["still", "pulling"])
def test_the_look_of_the_list(
    snap_compare: Callable[..., bool],
    history: History,
    few: Scene,
    pulled: PullProgress | None,
    width: int,
) -> None:
    loading = [Ready("smollm2-135m", "t.gguf", "", "CUDA0 · 31/31 layers", 8192, 0.1)]
    backend = ScriptedBackend(loading=loading)
    settings = load_settings(theme="localspec-dark")
    app = ChatApp(lambda name: backend, "smollm2-135m", history, settings, None, Clock())

    async def act(pilot: Pilot[None]) -> None:
        desk = Desk(app, pilot, Clock())
        shelf = ShelfDesk(desk)
        shelf.pulling.progress = pulled
        await shelf.open()
        desk.app.screen.query_one(Input).cursor_blink = False
        await shelf.type("llama")
        await desk.until(lambda: len(shelf.rows) < 9)
        await shelf.press("ctrl+u", "down", "down", "down")
        await desk.until(lambda: len(shelf.rows) == 9)
        await pilot.pause(0.3)

    try:
        assert snap_compare(app, terminal_size=(width, 28), run_before=act)
    finally:
        asyncio.set_event_loop(None)
