"""A picture of the list of models on a machine that is made up, with a pull under way.

python -m tests.tui.picture_models OUT.svg
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest import mock

from localspec.chat.events import Ready
from localspec.chat.history import History
from localspec.models.shelf import shelf
from localspec.settings import load_settings
from localspec.tui import model_asking
from localspec.tui.app import ChatApp
from localspec.tui.pull_progress import PulledFile, PullProgress
from tests.tui.conftest import Clock, Desk
from tests.tui.scripted import ScriptedBackend
from tests.tui.shelf_desk import ShelfDesk

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


async def picture(size: tuple[int, int], chosen: str) -> str:
    """The catalog as it is, the starter pair on the disk."""
    pairs = [
        replace(pair, state="ready") if pair.name == USED else pair
        for pair in shelf()
        if pair.state == "absent" or pair.name == USED
    ]
    pairs.sort(key=lambda pair: pair.state != "ready")
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(model_asking, "shelf", lambda: pairs),
    ):
        history = History(Path(folder) / "history.sqlite3")
        backend = ScriptedBackend(loading=[Ready(USED, "t", "d", "CUDA0", 8192, 3.0)])
        app = ChatApp(lambda name: backend, USED, history, load_settings())
        async with app.run_test(size=size) as pilot:
            shown = ShelfDesk(Desk(app, pilot, Clock()))
            shown.pulling.progress = PULLED
            await shown.open()
            while shown.chosen != chosen:
                await shown.press("down")
            await pilot.pause(0.5)
            svg = app.export_screenshot(title="localspec")
        history.close()
    return svg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--chosen", default="llama3-70b")
    parser.add_argument("--size", type=int, nargs=2, default=(116, 34))
    args = parser.parse_args()
    args.out.write_text(asyncio.run(picture(tuple(args.size), args.chosen)), encoding="utf-8")


if __name__ == "__main__":
    main()
