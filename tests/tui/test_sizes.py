"""Any terminal size, and any change of it, at any time."""

from __future__ import annotations

import pytest

from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished

TEXT = (
    "# Title\n\nWords 日本語 🎉👩‍👩‍👧 é and `code`.\n\n```python\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two\n\n> quote\n\nend"
)
SIZES = [(1, 1), (2, 1), (1, 5), (5, 2), (10, 4), (20, 10), (300, 100)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_conversation_at_this_size(open_desk: OpenDesk, size: tuple[int, int]) -> None:
    backend = ScriptedBackend([burst(*TEXT.split(" ")), HOLD, finished(TEXT)])
    async with open_desk(backend, size=size) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        await desk.pilot.pause(0.1)
        backend.go_on()
        await desk.phase(Phase.READY)
        await desk.pilot.press("f1", "escape", "f4", "f4", "f3", "ctrl+c", "escape")
        await desk.send("/theme")
        await desk.pilot.press("down", "escape")


async def test_resizing_in_the_middle_of_a_reply(open_desk: OpenDesk) -> None:
    parts: list[object] = []
    for piece in TEXT.split(" "):
        parts += [burst(piece, " "), HOLD]
    text = "".join(f"{piece} " for piece in TEXT.split(" "))
    backend = ScriptedBackend([*parts, finished(text)])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        for index in range(len(parts) // 2):
            await desk.pilot.resize_terminal(*SIZES[index % len(SIZES)])
            backend.go_on()
            await desk.pilot.pause(0.02)
        await desk.pilot.resize_terminal(80, 24)
        while desk.chat._talk.phase is Phase.REPLYING:
            backend.go_on()
            await desk.pilot.pause(0.02)
        await desk.until(lambda: "quote" in desk.screen_text)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opened", ["f1", "f8", "ctrl+s", "ctrl+p", "/theme", "f9"])
async def test_a_screen_at_this_size(
    open_desk: OpenDesk, size: tuple[int, int], opened: str
) -> None:
    """Each is opened, used, resized and closed."""
    async with open_desk(ScriptedBackend([finished(TEXT)]), size=size) as desk:
        await desk.ask(TEXT)
        if opened.startswith("/"):
            await desk.send(opened)
        else:
            await desk.pilot.press(opened)
        await desk.pilot.pause(0.05)
        await desk.pilot.press("down", "x", "up", "tab")
        for other in ((1, 1), (80, 24), size):
            await desk.pilot.resize_terminal(*other)
            await desk.pilot.pause(0.02)
        await desk.pilot.press("escape")
        assert desk.app.is_running
