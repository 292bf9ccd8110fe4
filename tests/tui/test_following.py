"""The transcript follows its end, unless the user has scrolled up (B05)."""

from __future__ import annotations

import pytest
from textual import events

from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.long_reply import text_of
from tests.tui.scripted import HOLD, ScriptedBackend, burst

LONG = text_of(600)
MORE = "".join(f"\n\nMore of it, {n}." for n in range(40))


def at_end(desk: Desk) -> bool:
    return desk.transcript.scroll_y >= desk.transcript.max_scroll_y > 0


async def streaming(desk: Desk) -> None:
    await desk.phase(Phase.READY)
    await desk.send("hi")
    await desk.until(lambda: at_end(desk))
    await desk.pilot.pause(0.2)


async def grown(desk: Desk, backend: ScriptedBackend) -> None:
    height = desk.transcript.max_scroll_y
    backend.go_on()
    await desk.until(lambda: desk.transcript.max_scroll_y > height + 40)
    await desk.pilot.pause(0.1)


@pytest.mark.parametrize("size", [(100, 30), (60, 16)])
async def test_it_follows_a_reply_that_streams(open_desk: OpenDesk, size: tuple[int, int]) -> None:
    backend = ScriptedBackend([burst(LONG), HOLD, burst(MORE), HOLD])
    async with open_desk(backend, size=size) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: at_end(desk))
        await grown(desk, backend)
        assert at_end(desk) and "More of it, 39." in desk.screen_text


@pytest.mark.parametrize("by", ["pageup", "wheel"])
async def test_who_has_scrolled_up_stays_there_and_can_come_back(
    open_desk: OpenDesk, by: str
) -> None:
    backend = ScriptedBackend([burst(LONG), HOLD, burst(MORE), HOLD, burst(MORE), HOLD])
    async with open_desk(backend) as desk:
        await streaming(desk)
        for _ in range(3):
            if by == "wheel":
                wheel = events.MouseScrollUp(desk.transcript, 5, 5, 0, -1, 0, False, False, False)
                desk.transcript.post_message(wheel)
            else:
                await desk.pilot.press("pageup")
        await desk.until(lambda: not at_end(desk))
        await desk.pilot.pause(0.2)
        before = desk.transcript.scroll_y
        await grown(desk, backend)
        assert desk.transcript.scroll_y == before
        await desk.pilot.press("ctrl+end")
        await desk.until(lambda: at_end(desk) and "More of it, 39." in desk.screen_text)
        await grown(desk, backend)
        assert at_end(desk)


@pytest.mark.parametrize("by", ["pagedown", "wheel"])
async def test_scrolling_down_to_the_end_and_beyond_follows_again(
    open_desk: OpenDesk, by: str
) -> None:
    """One step more than there was to scroll, and the newest text ran out of sight."""
    backend = ScriptedBackend([burst(LONG), HOLD, burst(MORE), HOLD])
    async with open_desk(backend) as desk:
        await streaming(desk)
        await desk.pilot.press("pageup")
        await desk.until(lambda: not at_end(desk))
        for _ in range(15):
            if by == "wheel":
                wheel = events.MouseScrollDown(desk.transcript, 5, 5, 0, 1, 0, False, False, False)
                desk.transcript.post_message(wheel)
            else:
                await desk.pilot.press("pagedown")
            await desk.pilot.pause(0.02)
        assert at_end(desk)
        await grown(desk, backend)
        assert at_end(desk)


async def test_another_size_keeps_the_end_in_view(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst(LONG), HOLD, burst(MORE), HOLD])
    async with open_desk(backend) as desk:
        await streaming(desk)
        for size in ((50, 20), (120, 40), (80, 12)):
            await desk.pilot.resize_terminal(*size)
            await desk.until(lambda: at_end(desk))
        await grown(desk, backend)
        assert at_end(desk) and "More of it, 39." in desk.screen_text


async def test_another_size_leaves_who_has_scrolled_up_in_the_middle(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst(LONG), HOLD, burst(MORE), HOLD])
    async with open_desk(backend) as desk:
        await streaming(desk)
        await desk.pilot.press("pageup", "pageup")
        await desk.until(lambda: not at_end(desk))
        await desk.pilot.resize_terminal(60, 24)
        await desk.pilot.pause(0.3)
        await grown(desk, backend)
        assert not at_end(desk)


async def test_a_long_reply_costs_what_a_short_one_does(open_desk: OpenDesk) -> None:
    """Each burst laid out and parsed all that had come before it."""
    backend = ScriptedBackend([burst(text_of(8_000)), HOLD, burst(MORE), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: at_end(desk))
        await desk.pilot.pause(1.2)
        pages = desk.transcript.query_children("Prose")
        laid_out = [page for page in pages if not page._folded]  # type: ignore[attr-defined]
        assert len(pages) > 30
        assert len(laid_out) < 8
        assert max(len(page.source) for page in pages) < 3_000  # type: ignore[attr-defined]
        backend.go_on()
        await desk.until(lambda: "More of it, 39." in desk.screen_text)
