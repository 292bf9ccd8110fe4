"""`/compare` on the screen: measured with progress, raced, and the chat as it was before."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec.chat.events import Failed, Message
from localspec.tui.screens.race import RaceScreen
from localspec.tui.talk import Phase
from localspec.tui.widgets.side import Side
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.contestants import compared, measuring
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

REPLY = reply(burst("Hello", " there."))


async def race(desk: Desk, command: str = "/compare Hi") -> RaceScreen:
    await desk.phase(Phase.READY)
    await desk.send(command)
    await desk.until(lambda: isinstance(desk.app.screen, RaceScreen))
    assert isinstance(desk.app.screen, RaceScreen)
    return desk.app.screen


async def at(desk: Desk, seconds: float) -> str:
    """Let so much time pass in the race."""
    desk.clock.now += seconds
    await desk.pilot.pause(0.15)
    return desk.screen_text


def halves(text: str) -> list[list[str]]:
    """Left and right of the line between them."""
    return [row.split("│") for row in text.split("\n") if "│" in row]


async def test_measured_by_turns_with_progress_then_raced_in_real_time(open_desk: OpenDesk) -> None:
    script = [measuring("off", 2, 38), HOLD, measuring("off", 2, 96, 31.2), HOLD, compared()]
    backend = ScriptedBackend(script)
    async with open_desk(backend) as desk:
        await race(desk)
        await desk.until(lambda: "measuring off, run 2 of 3 · 38 of 96 tokens" in desk.screen_text)
        backend.go_on()
        await desk.until(lambda: "runs so far   31.2  tok/s" in desk.screen_text)
        backend.go_on()
        await desk.until(lambda: "1.90x (1.84 to 1.96, 3 runs) · same text" in desk.screen_text)
        shown = await at(desk, 1.01)
        off, on = next(rows for rows in halves(shown) if "of 19 tokens" in rows[0])
        assert " 2 of 19 tokens  1.01 s" in off
        assert " 3 of 19 tokens  1.01 s" in on
        shown = await at(desk, 2.5)
        off, on = halves(shown)[0]
        assert "prompt 0.12 s" in off
        assert off.rstrip().endswith("2.0 tok/s")
        shown = await at(desk, 99.0)
        off, on = next(rows for rows in halves(shown) if "of 19 tokens" in rows[0])
        assert "19 of 19 tokens  9.50 s" in off
        assert "19 of 19 tokens  5.00 s" in on


async def test_keys_of_the_race(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend([compared()])) as desk:
        screen = await race(desk)
        await desk.until(lambda: screen.compared)
        assert "1x speed" in await at(desk, 1.01)
        await desk.pilot.press("f")
        assert "2x speed" in await at(desk, 1.0)
        assert "3.01 s" in desk.screen_text
        await desk.pilot.press("f", "f")
        assert "8x speed" in await at(desk, 9.0)
        assert "19 of 19 tokens  5.00 s" in desk.screen_text
        await desk.pilot.press("space")
        assert " 0 of 19 tokens  0.00 s" in await at(desk, 0.0)
        await desk.pilot.press("up", "down", "pageup", "pagedown", "d")
        await desk.pilot.press("escape")
        await desk.until(lambda: desk.app.screen is desk.chat)


@pytest.mark.parametrize("key", ["escape", "q", "ctrl+c"])
async def test_closed_by_any_of_these(open_desk: OpenDesk, key: str) -> None:
    async with open_desk(ScriptedBackend([compared()], REPLY)) as desk:
        screen = await race(desk)
        await desk.until(lambda: screen.compared)
        await desk.pilot.press(key)
        await desk.until(lambda: desk.app.screen is desk.chat)
        await desk.ask("Hi")
        assert desk.chat._dialogue.turns[-1].content == "Hello there."


@pytest.mark.parametrize("key", ["escape", "q", "ctrl+c"])
async def test_esc_cancels_the_measuring_and_all_goes_on(open_desk: OpenDesk, key: str) -> None:
    backend = ScriptedBackend([measuring("off", 1, 3), HOLD, compared()], REPLY)
    async with open_desk(backend) as desk:
        await race(desk)
        await desk.until(lambda: "measuring off" in desk.screen_text)
        assert "esc Cancel or close" in desk.screen_text
        await desk.pilot.press("space", "f", key)
        await desk.until(lambda: desk.app.screen is desk.chat)
        assert desk.hint == ""
        await desk.ask("Hi")
        assert desk.chat._dialogue.turns[-1].content == "Hello there."
        assert backend.num_loads == 1


async def test_a_result_that_comes_behind_the_cancelling_is_not_raced(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([measuring("off", 1, 3), HOLD, compared()])
    backend.stop = lambda: None  # type: ignore[method-assign]
    async with open_desk(backend) as desk:
        await race(desk)
        await desk.until(lambda: "measuring off" in desk.screen_text)
        await desk.pilot.press("escape")
        assert "stopping" in desk.screen_text
        backend.go_on()
        await desk.until(lambda: desk.app.screen is desk.chat)


async def test_without_a_prompt_it_is_the_last_question_with_what_was_before(
    open_desk: OpenDesk,
) -> None:
    backend = ScriptedBackend(REPLY, REPLY, [compared()])
    async with open_desk(backend, system="Be brief.", max_tokens=50, spec="suffix") as desk:
        await desk.ask("One")
        await desk.ask("Two")
        before = list(desk.chat._dialogue.turns)
        await race(desk, "/compare")
        messages, request = backend.asked[-1]
        assert messages == [
            Message("system", "Be brief."),
            Message("user", "One"),
            Message("assistant", "Hello there."),
            Message("user", "Two"),
        ]
        assert (request.spec, request.sampling.max_tokens) == ("suffix", 50)
        await desk.pilot.press("escape")
        assert desk.chat._dialogue.turns == before


async def test_a_prompt_takes_the_files_and_leaves_them_for_the_next_message(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    backend = ScriptedBackend(REPLY, [compared()], REPLY)
    async with open_desk(backend) as desk:
        await desk.ask("One")
        await desk.send(f"/file {tmp_path / 'a.py'}")
        await desk.send(f"/predict {tmp_path / 'a.py'}")
        await race(desk, '/compare What\'s "this"?\nSay.')
        (message,), request = backend.asked[-1]
        assert message.content.startswith('What\'s "this"?\nSay.\n\na.py:')
        assert request.predict == ("x = 1\n",)
        await desk.pilot.press("escape")
        await desk.ask("Two")
        messages, request = backend.asked[-1]
        assert "x = 1" in messages[-1].content
        assert request.predict == ("x = 1\n",)


async def test_with_speculation_off_it_is_what_was_on_before(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([compared()])
    async with open_desk(backend, spec="predicted") as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("f2")
        await race(desk)
        assert backend.asked[-1][1].spec == "predicted"


async def test_nothing_to_compare_is_a_sentence(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/compare")
        assert "There is no question yet." in desk.hint


async def test_refused_while_a_reply_runs(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("Hello"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("Hi")
        await desk.phase(Phase.REPLYING)
        await desk.send("/compare")
        assert "A reply is running" in desk.hint
        assert desk.app.screen is desk.chat
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)


async def test_a_child_that_is_killed_is_one_line_and_is_loaded_again(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(REPLY, [measuring("on", 1, 5), HOLD], REPLY)
    async with open_desk(backend) as desk:
        await desk.ask("One")
        await race(desk, "/compare")
        await desk.until(lambda: "measuring on" in desk.screen_text)
        await desk.pilot.press("ctrl+p")
        backend.kill()
        await desk.phase(Phase.DOWN)
        await desk.until(lambda: desk.screen_text.count("The engine's process was killed.") == 1)
        assert desk.app.screen is desk.chat
        await desk.pilot.press("f5")
        await desk.ask("Two")
        assert [turn.content for turn in desk.chat._dialogue.turns][-2:] == ["Two", "Hello there."]


async def test_a_refusal_is_said_and_the_model_stays(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([Failed("The prompt has 9,000 tokens.", "Shorten it.")], REPLY)
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/compare Hi")
        await desk.until(lambda: "The prompt has 9,000 tokens. Shorten it." in desk.screen_text)
        await desk.ask("Hi")


async def test_a_comparison_without_an_end_is_said(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend([measuring("off", 1, 1)])) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/compare Hi")
        await desk.until(lambda: "The comparison broke off" in desk.screen_text)
        assert desk.chat._talk.phase is Phase.READY


async def test_quitting_while_it_measures(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([measuring("off", 1, 1), HOLD])
    async with open_desk(backend) as desk:
        await race(desk)
        await desk.pilot.press("ctrl+q")
    assert backend.closed


async def test_the_first_difference_is_marked_in_both_and_found_by_a_key(
    open_desk: OpenDesk,
) -> None:
    script = [compared(other_end=True)]
    async with open_desk(ScriptedBackend(script), size=(100, 13)) as desk:
        screen = await race(desk)
        await desk.until(lambda: screen.compared)
        assert "≠ " not in await at(desk, 1.0)
        shown = await at(desk, 99.0)
        marked = [rows for rows in halves(shown) if any(row.strip()[:1] == "≠" for row in rows)]
        assert [row.strip() for row in marked[0]] == [
            "≠         self.items = {}",
            "≠         # 在庫 🎉 [b]none[/b]",
        ]
        assert "a near-tie" in shown
        await desk.pilot.press("pageup", "pageup")
        assert "self.items" not in await at(desk, 0.0)
        await desk.pilot.press("d")
        assert "self.items" in await at(desk, 0.0)


async def test_numbers_keep_their_places(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend([compared(other_end=True, seconds=0.31)])) as desk:
        screen = await race(desk)
        await desk.until(lambda: screen.compared)
        places = set()
        for seconds in (0.6, 0.4, 0.4, 0.4, 0.4, 3.0, 3.0, 9.0):
            head, *_, foot = halves(await at(desk, seconds))
            speeds = [side.index(" tok/s") for side in head]
            places.add((*speeds, *(side.index(" of ") for side in foot), *map(_end, foot)))
        assert len(places) == 1


def _end(side: str) -> int:
    return len(side.rstrip())


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 9), (9, 3), (30, 8), (64, 5), (300, 90)])
async def test_a_race_at_any_size_and_at_any_change_of_it(
    open_desk: OpenDesk, size: tuple[int, int]
) -> None:
    backend = ScriptedBackend([measuring("on", 1, 5), HOLD, compared(other_end=True)])
    async with open_desk(backend, size=size) as desk:
        screen = await race(desk)
        await desk.pilot.pause(0.05)
        backend.go_on()
        await desk.until(lambda: screen.compared)
        for new in ((100, 30), size, (20, 6), (3, 40), (100, 30)):
            await at(desk, 0.7)
            await desk.pilot.resize_terminal(*new)
            await desk.pilot.press("d", "up", "f")
        shown = await at(desk, 99.0)
        assert "[b]none[/b]" in shown
        assert len(screen.query(Side)) == 2
