"""The README's pictures: recordings of real runs on the screen, without a model.

python -m tests.tui.pictures
python -m tests.tui.pictures xray models --to FOLDER --theme localspec-light --size 80 24
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from localspec.backends.interface import Backend
from localspec.chat.events import Ready
from localspec.chat.history import History
from localspec.models.shelf import ShelfPair, shelf
from localspec.settings import load_settings
from localspec.tui import model_asking
from localspec.tui.app import ChatApp
from localspec.tui.pull_progress import PulledFile, PullProgress
from localspec.tui.screens.race import RaceScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Clock, Desk
from tests.tui.held_replay import HeldReplay
from tests.tui.scripted import ScriptedBackend
from tests.tui.shelf_desk import ShelfDesk

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"
RECORDINGS = Path(__file__).parent / "recordings"
EDIT = "Rename total_value to inventory_value, add type hints. Return the whole file."
QUESTIONS = (
    f"What is this class for? One sentence. @{RECORDINGS / 'inventory.py'}",
    "Add type hints to all of it. Return the whole file.",
)
USED = "qwen2.5-coder-1.5b"
PULLED = PullProgress(
    "llama3.1-8b",
    (
        PulledFile("target", "t", 2_706_000_000, 4_920_739_232),
        PulledFile("draft", "d", 0, 807_694_464),
    ),
    "downloading",
    "target",
    31_200_000.0,
)
_FONTS = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace'


@dataclass(frozen=True, slots=True)
class Look:
    theme: str = "localspec-dark"
    size: tuple[int, int] = (104, 32)


@asynccontextmanager
async def opened(backend: Backend, clock: Clock, look: Look) -> AsyncIterator[Desk]:
    """The screen in a home of its own, so that nothing of this machine is in the picture."""
    with tempfile.TemporaryDirectory() as home:
        folders = {f"LOCALSPEC_{name}_DIR": home for name in ("CONFIG", "DATA", "CACHE")}
        with mock.patch.dict(os.environ, folders):
            history = History(Path(home) / "history.sqlite3")
            settings = load_settings(system="", spec="auto", theme=look.theme)
            app = ChatApp(lambda name: backend, settings.model, history, settings, None, clock)
            async with app.run_test(size=look.size) as pilot:
                desk = Desk(app, pilot, clock)
                await desk.phase(Phase.READY)
                yield desk
            history.close()


async def chat(look: Look) -> str:
    """In the middle of a reply."""
    backend = HeldReplay(RECORDINGS / "edit.jsonl", clock := Clock(), after_s=6.4)
    async with opened(backend, clock, look) as desk:
        await _ask_all(desk, backend)
        await desk.until(lambda: backend.is_held)
        return await _drawn(desk)


async def xray(look: Look) -> str:
    """A whole reply, with the drafts that were rejected."""
    backend = HeldReplay(RECORDINGS / "edit.jsonl", clock := Clock())
    async with opened(backend, clock, look) as desk:
        await _ask_all(desk, backend)
        await desk.phase(Phase.READY)
        await desk.pilot.press("f4", "f4")
        return await _drawn(desk)


async def compare(look: Look) -> str:
    """The race, when the faster side is nearly done."""
    backend = HeldReplay(RECORDINGS / "race.jsonl", clock := Clock())
    async with opened(backend, clock, look) as desk:
        await desk.send(f"/compare {EDIT}")
        app = desk.app
        await desk.until(lambda: isinstance(app.screen, RaceScreen) and app.screen.compared)
        clock.now += 8.0
        return await _drawn(desk)


async def models(look: Look) -> str:
    """The catalog on a machine that is made up, a pull under way."""
    backend = ScriptedBackend(loading=[Ready(USED, "t", "d", "CUDA0", 8192, 3.0)])
    with mock.patch.object(model_asking, "shelf", _shelf_with_used):
        async with opened(backend, Clock(), look) as desk:
            shown = ShelfDesk(desk)
            shown.pulling.progress = PULLED
            await shown.open()
            await shown.type("qwen")
            await desk.until(lambda: len(shown.rows) < len(_shelf_with_used()))
            await desk.pilot.press(*["down"] * 6)
            return await _drawn(desk)


def _shelf_with_used() -> list[ShelfPair]:
    """As on a disk with the starter pair."""
    pairs = [replace(pair, state="ready") if pair.name == USED else pair for pair in shelf()]
    return sorted(pairs, key=lambda pair: pair.state != "ready")


PICTURES: dict[str, Callable[[Look], Awaitable[str]]] = {
    each.__name__: each for each in (chat, xray, compare, models)
}


async def _ask_all(desk: Desk, backend: HeldReplay) -> None:
    for number, question in enumerate(QUESTIONS, start=1):
        await desk.phase(Phase.READY)
        await desk.send(question)
        # Its file is read beside the screen first.
        await desk.until(lambda number=number: backend.num_asked == number)


async def _drawn(desk: Desk) -> str:
    """The picture, when all is painted."""
    await desk.pilot.pause(0.5)
    return _self_contained(desk.app.export_screenshot(title="localspec"))


def _self_contained(svg: str) -> str:
    """With fonts that are there: a page shows no picture that fetches some. Every text has its
    length, so whichever it is, the columns stand."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    return svg.replace("font-family: Fira Code, monospace", f"font-family: {_FONTS}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--to", type=Path, default=FOLDER)
    parser.add_argument("--theme", default=Look().theme)
    parser.add_argument("--size", type=int, nargs=2, default=Look().size)
    args = parser.parse_args()
    look = Look(args.theme, tuple(args.size))
    for name in args.names or PICTURES:
        svg = asyncio.run(PICTURES[name](look))
        (args.to / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(args.to / f"{name}.svg")


if __name__ == "__main__":
    main()
