"""The look of a comparison. After a wanted change: pytest tests/tui --snapshot-update."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from localspec.backends.interface import Backend
from localspec.backends.replay import ReplayBackend
from localspec.chat.history import History
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.screens.race import RaceScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Clock, Desk
from tests.tui.contestants import compared, measuring
from tests.tui.scripted import HOLD, ScriptedBackend

RECORDING = Path(__file__).parent / "recordings" / "race.jsonl"
ASK = "/compare Rename total_value to inventory_value, add type hints. Return the whole file."
MEASURED = [
    measuring("off", 1, 96, 31.2),
    measuring("on", 1, 96, 64.8),
    measuring("on", 2, 96, 65.1),
    measuring("off", 2, 38),
    HOLD,
]


@pytest.fixture
def snap(snap_compare: Callable[..., bool], history: History) -> Callable[..., bool]:
    """Compares the screen when this is on it and so much of the race has passed."""

    def snap(
        backend: Backend, until: str, after_s: float, keys: str = "", width: int = 104
    ) -> bool:
        clock = Clock()
        app = ChatApp(lambda name: backend, "pair", history, load_settings(), None, clock)

        async def act(pilot: Pilot[None]) -> None:
            desk = Desk(app, pilot, clock)
            await desk.phase(Phase.READY)
            await desk.send(ASK)
            await desk.until(lambda: isinstance(app.screen, RaceScreen))
            await desk.until(lambda: until in desk.screen_text)
            clock.now += after_s
            if keys:
                await pilot.press(*keys.split())
            await pilot.pause(0.2)

        try:
            return snap_compare(app, terminal_size=(width, 28), run_before=act)
        finally:
            asyncio.set_event_loop(None)

    return snap


def test_while_it_is_measured(snap: Callable[..., bool]) -> None:
    assert snap(ScriptedBackend(MEASURED), "38 of 96 tokens", 0.0)


@pytest.mark.parametrize("after_s", [4.0, 999.0], ids=["middle", "end"])
def test_a_recorded_race(snap: Callable[..., bool], after_s: float) -> None:
    assert snap(ReplayBackend(RECORDING, speed=0), "3 runs)", after_s)


def test_texts_that_part(snap: Callable[..., bool]) -> None:
    assert snap(ScriptedBackend([compared(other_end=True)]), "3 runs)", 9.0, "f")


def test_a_race_that_nothing_was_drafted_in_on_a_narrow_screen(snap: Callable[..., bool]) -> None:
    idle = compared(acceptance_rate=None, state="idle", state_reason="wouldn't pay here")
    assert snap(ScriptedBackend([idle]), "wouldn't pay here", 3.0, width=50)
