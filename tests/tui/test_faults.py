"""What goes wrong is said, and takes nothing away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from localspec.backends.interface import ReplyRequest
from localspec.chat.events import Event, Failed, Message, Notice, Ready
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


async def test_sending_while_a_reply_runs_is_refused_and_the_text_kept(
    open_desk: OpenDesk,
) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("first")
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.send("second")
        assert "A reply is running" in desk.hint
        assert desk.prompt.text == "second"
        assert len(backend.asked) == 1


async def test_enter_twice_in_a_row_asks_once(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("h", "i", "enter", "enter", "y", "o", "enter")
        await desk.until(lambda: backend.asked)
        assert len(backend.asked) == 1
        assert desk.prompt.text == "yo"


async def test_a_killed_worker_is_said_and_can_be_restarted(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half a reply"), HOLD], reply(burst("alive again")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half a reply" in desk.screen_text)
        backend.kill()
        await desk.phase(Phase.DOWN)
        await desk.until(lambda: "process was killed. F5 or /restart" in desk.screen_text)
        assert "broken off" in desk.screen_text
        await desk.send("more")
        assert "F5 loads it again" in desk.hint
        await desk.pilot.press("f5")
        await desk.phase(Phase.READY)
        await desk.pilot.press("enter")
        await desk.until(lambda: "alive again" in desk.screen_text)
        asked = [message.content for message in backend.asked[1][0]]
        assert asked == ["hi", "half a reply", "more"]


async def test_restart_is_also_a_command(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        backend.kill()
        await desk.phase(Phase.DOWN)
        assert desk.prompt.text == "hi"
        await desk.send("/restart")
        await desk.phase(Phase.READY)
        assert backend.num_loads == 2


async def test_a_failure_gives_the_question_back(open_desk: OpenDesk) -> None:
    failed = Failed("The prompt is longer than the context.", "Raise --ctx.")
    backend = ScriptedBackend([failed], reply(burst("ok")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("far too long")
        await desk.until(lambda: "longer than the context. Raise --ctx." in desk.screen_text)
        assert desk.chat._talk.phase is Phase.READY
        assert desk.prompt.text == "far too long"
        assert desk.chat._dialogue.turns == []
        assert desk.chat._dialogue._history.conversations() == []


@pytest.mark.parametrize(
    "loading",
    [[Failed("The file is cut short.")], [Failed("Killed.", fatal=True)], []],
)
async def test_a_load_that_fails_can_be_tried_again(
    open_desk: OpenDesk, loading: list[Event]
) -> None:
    backend = ScriptedBackend(loading=loading)
    async with open_desk(backend) as desk:
        await desk.phase(Phase.DOWN)
        await desk.until(lambda: "F5 or /restart" in desk.screen_text)
        backend.loading = [Ready("pair", "target", "", "CPU", 512, 0.1)]
        await desk.pilot.press("f5")
        await desk.phase(Phase.READY)


async def test_a_bad_first_model_leaves_a_screen_that_can_take_another(
    open_desk: OpenDesk,
) -> None:
    async with open_desk({"good": ScriptedBackend()}, model="nowhere") as desk:
        await desk.until(lambda: 'No model is called "nowhere"' in desk.hint)
        assert "no model" in desk.status
        await desk.send("/model good")
        await desk.phase(Phase.READY)


async def test_a_refusal_goes_when_its_reason_goes_other_hints_stay(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(loading=[HOLD, Ready("pair", "t", "", "CPU", 64, 0.1)])
    backend.scripts = [reply(burst("late"))]
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.send("early")
        assert desk.hint
        backend.go_on()
        await desk.until(lambda: "late" in desk.screen_text)
        await desk.phase(Phase.READY)
        await desk.until(lambda: not desk.hint)
        await desk.send("/nothing")
        await desk.pilot.pause(0.1)
        assert desk.hint


class Raising(ScriptedBackend):
    """Breaks the contract: failures are events."""

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        yield burst("half")
        raise RuntimeError("out of cheese")


async def test_a_backend_that_raises_is_a_failure_not_a_crash(open_desk: OpenDesk) -> None:
    async with open_desk(Raising()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "RuntimeError: out of cheese" in desk.screen_text)


async def test_events_that_simply_end_end_the_reply(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend([burst("that is", " all")])) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "stopped" in desk.screen_text)
        assert desk.chat._dialogue.turns[-1].content == "that is all"


async def test_notices_are_shown(open_desk: OpenDesk) -> None:
    loading = [Notice("The draft was left out."), Ready("pair", "t", "", "CPU", 64, 0.1)]
    async with open_desk(ScriptedBackend(loading=loading)) as desk:
        await desk.until(lambda: "The draft was left out." in desk.screen_text)


@pytest.mark.parametrize("script", [[HOLD], [burst("half"), HOLD]])
async def test_quitting_in_the_middle_ends_the_backend(
    open_desk: OpenDesk, script: list[Event | str]
) -> None:
    backend = ScriptedBackend(script)
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        async with asyncio.timeout(5):
            await desk.pilot.press("ctrl+q")
    assert backend.closed


async def test_quitting_while_loading_ends_the_backend(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(loading=[HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.pilot.press("ctrl+q")
    assert backend.closed
