"""The look of the screen. After a wanted change: pytest tests/tui --snapshot-update."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from localspec.chat.history import History
from localspec.engine.interface import Prefill
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.talk import Phase
from tests.tui.conftest import Clock, Desk
from tests.tui.scripted import HOLD, Script, ScriptedBackend, burst, reply

FIRST = reply(burst("Use", " a", " `dict`", ": it", " is quick."))
SECOND: Script = [
    Prefill(99, 99),
    burst("Here", " it", " is"),
    burst(":\n\n```python\n"),
    burst("class", " Cache", ":\n"),
    burst("    def", " get", "(self", ", key", "):\n", drafted=5),
    burst("        return", " self", source="suffix"),
    HOLD,
]


@pytest.mark.parametrize("theme", ["localspec-dark", "localspec-light"])
def test_the_middle_of_a_reply(
    snap_compare: Callable[..., bool], history: History, theme: str
) -> None:
    backend = ScriptedBackend(FIRST, SECOND)
    clock = Clock()
    settings = load_settings(theme=theme)
    app = ChatApp(lambda name: backend, "pair", history, settings, None, clock)

    async def until_mid_burst(pilot: Pilot[None]) -> None:
        desk = Desk(app, pilot, clock)
        await desk.ask("What is a good cache?")
        await desk.phase(Phase.READY)
        await desk.send("Show me one.")
        clock.now += 0.5
        await desk.until(lambda: "return self" in desk.screen_text)
        await desk.pilot.pause(0.2)

    try:
        assert snap_compare(app, terminal_size=(90, 26), run_before=until_mid_burst)
    finally:
        asyncio.set_event_loop(None)
