"""A picture of the chat screen in the middle of a reply, from a recording, without a model.

python -m tests.tui.picture RECORDING OUT.svg --ask "The question" --after 3
python -m tests.tui.picture RECORDING OUT.svg --race --ask "The question" --after 3
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from localspec.backends.replay import ReplayBackend
from localspec.chat.history import History
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.screens.race import RaceScreen
from tests.tui.conftest import Clock

_MARGIN_S = 60.0


async def picture(recording: Path, ask: str, after_s: float, size: tuple[int, int]) -> str:
    """The SVG of the screen `after_s` seconds after the first token."""
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite3")
        settings = load_settings(system="", spec="auto")
        app = ChatApp(lambda name: ReplayBackend(recording), settings.model, history, settings)
        async with app.run_test(size=size) as pilot:
            async with asyncio.timeout(_MARGIN_S):
                while not app.screen.query_one("#title").render().plain.count("·"):
                    await pilot.pause(0.05)
                await pilot.press(*ask, "enter")
                while not app.screen.query_one("StatusLine").render().plain.count("tok/s"):
                    await pilot.pause(0.05)
                while not app.screen.query("Tail"):
                    await pilot.pause(0.05)
            await pilot.pause(after_s)
            svg = app.export_screenshot(title="localspec")
        history.close()
    return svg


async def race_picture(recording: Path, ask: str, after_s: float, size: tuple[int, int]) -> str:
    """The SVG of the race, that long after its start."""
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite3")
        settings, clock = load_settings(system="", spec="auto"), Clock()
        backend = ReplayBackend(recording, speed=0)
        app = ChatApp(lambda name: backend, settings.model, history, settings, None, clock)
        async with app.run_test(size=size) as pilot:
            async with asyncio.timeout(_MARGIN_S):
                while not app.screen.query_one("#title").render().plain.count("·"):
                    await pilot.pause(0.05)
                await pilot.press(*f"/compare {ask}", "enter")
                while not isinstance(app.screen, RaceScreen) or app.screen.compared is None:
                    await pilot.pause(0.05)
            clock.now += after_s
            await pilot.pause(0.3)
            svg = app.export_screenshot(title="localspec")
        history.close()
    return svg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ask", default="Write a Python class for an LRU cache.")
    parser.add_argument("--after", type=float, default=3.0)
    parser.add_argument("--race", action="store_true", help="off against on, beside each other")
    parser.add_argument("--size", type=int, nargs=2, default=(104, 34))
    args = parser.parse_args()
    draw = race_picture if args.race else picture
    svg = asyncio.run(draw(args.recording, args.ask, args.after, tuple(args.size)))
    args.out.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
