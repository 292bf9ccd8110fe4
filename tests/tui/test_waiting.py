"""A question sent while the model loads."""

from __future__ import annotations

from localspec.chat.events import Failed, Ready
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

READY = Ready("pair", "t", "", "CPU", 64, 0.1)


async def test_it_is_sent_when_the_model_is_ready(open_desk: OpenDesk) -> None:
    """Enter was forgotten at the end of the load, and the next line was glued to the first."""
    backend = ScriptedBackend(reply(burst("hello")), loading=[HOLD, READY])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.send("early")
        assert "Will be sent when the model is ready" in desk.hint
        await desk.pilot.press("n", "e", "x", "t")
        backend.go_on()
        await desk.until(lambda: "hello" in desk.screen_text)
        assert backend.asked[0][0][-1].content == "early"
        assert desk.prompt.text == "next"
        assert not desk.hint


async def test_escape_takes_it_back(open_desk: OpenDesk) -> None:
    """A question that waited for the model could not be changed any more."""
    backend = ScriptedBackend(loading=[HOLD, READY])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.send("early")
        await desk.pilot.press("n", "escape")
        assert desk.prompt.text == "early\nn"
        backend.go_on()
        await desk.phase(Phase.READY)
        await desk.pilot.pause(0.1)
        assert not backend.asked


async def test_there_is_room_for_one(open_desk: OpenDesk) -> None:
    """A second question would have taken the place of the first without a word."""
    async with open_desk(ScriptedBackend(loading=[HOLD])) as desk:
        await desk.phase(Phase.LOADING)
        await desk.send("first")
        await desk.send("second")
        assert "is waiting for the model already" in desk.hint
        assert desk.prompt.text == "second"


async def test_a_load_that_fails_gives_it_back(open_desk: OpenDesk) -> None:
    """The text of a question must outlive the model it was meant for."""
    backend = ScriptedBackend(loading=[HOLD, Failed("No memory.", fatal=True)])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.LOADING)
        await desk.send("early")
        backend.go_on()
        await desk.phase(Phase.DOWN)
        await desk.until(lambda: desk.prompt.text == "early")


async def test_a_first_load_that_cannot_begin_gives_it_back(open_desk: OpenDesk) -> None:
    """Enter before the first load began was refused, as if no model was to come."""
    async with open_desk({"good": ScriptedBackend()}, model="nowhere") as desk:
        await desk.phase(Phase.DOWN)
        desk.chat._waiting.hold("typed ahead")
        await desk.chat._open_first()
        assert desk.prompt.text == "typed ahead"
