"""Conversations are saved as they happen and opened again."""

from __future__ import annotations

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.errors import LocalspecError
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


def contents(history: History) -> list[str]:
    latest = history.latest()
    return [message.content for message in history.messages(latest.id)] if latest else []


async def test_a_reply_is_saved_while_it_grows(open_desk: OpenDesk, history: History) -> None:
    backend = ScriptedBackend([burst("one"), HOLD, burst(" two"), HOLD, burst(" three"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: contents(history) == ["hi", "one"])
        backend.go_on()
        await desk.until(lambda: "one two" in desk.screen_text)
        assert contents(history) == ["hi", "one"]
        desk.clock.now += 1.5
        backend.go_on()
        await desk.until(lambda: contents(history)[-1] == "one two three")


async def test_quitting_in_the_middle_saves_what_there_is(
    open_desk: OpenDesk, history: History
) -> None:
    backend = ScriptedBackend([burst("one"), HOLD, burst(" two"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: contents(history) == ["hi", "one"])
        backend.go_on()
        await desk.until(lambda: "one two" in desk.screen_text)
    assert contents(history) == ["hi", "one two"]


async def test_a_resumed_conversation_is_shown_and_goes_on(
    open_desk: OpenDesk, history: History
) -> None:
    conversation = history.start("pair")
    history.append(conversation, Message("user", "An old question"), system="Be brief.")
    history.append(conversation, Message("assistant", "An **old** answer"))
    backend = ScriptedBackend(reply(burst("A new answer")))
    async with open_desk(backend, conversation=conversation) as desk:
        await desk.until(lambda: "An old answer" in desk.screen_text)
        assert "An old question" in desk.screen_text
        await desk.ask("A new question")
        asked = [message.content for message in backend.asked[0][0]]
        assert asked == ["Be brief.", "An old question", "An **old** answer", "A new question"]
        await desk.pilot.press("up", "up")
        assert desk.prompt.text == "An old question"
    assert contents(history)[-2:] == ["A new question", "A new answer"]
    assert len(history.conversations()) == 1


async def test_only_the_end_of_a_very_long_conversation_is_drawn(
    open_desk: OpenDesk, history: History
) -> None:
    conversation = history.start("pair")
    for number in range(40):
        history.append(conversation, Message("user", f"question {number}"))
        history.append(conversation, Message("assistant", f"answer {number}"))
    backend = ScriptedBackend(reply(burst("ok")))
    async with open_desk(backend, conversation=conversation) as desk:
        await desk.until(lambda: "answer 39" in desk.screen_text)
        desk.transcript.scroll_home(animate=False)
        await desk.until(lambda: "20 earlier messages" in desk.screen_text)
        await desk.ask("more")
        assert len(backend.asked[0][0]) == 81


async def test_the_reply_keeps_its_numbers(open_desk: OpenDesk, history: History) -> None:
    async with open_desk(ScriptedBackend(reply(burst("a", "b")))) as desk:
        await desk.ask("hi")
    [stats] = history._database.rows("SELECT stats FROM message WHERE role = 'assistant'", ())
    assert '"num_accepted_tokens": 1' in stats[0]


async def test_a_history_that_fails_is_said_once_and_the_chat_goes_on(
    open_desk: OpenDesk, history: History
) -> None:
    backend = ScriptedBackend(reply(burst("still here")), reply(burst("and again")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)

        def full(*_: object, **__: object) -> int:
            raise LocalspecError("The disk is full.")

        history.append = full  # type: ignore[method-assign]
        await desk.ask("hi")
        assert "can't be saved: The disk is full." in desk.hint
        await desk.ask("once more")
        assert desk.hint == ""
        await desk.until(lambda: "and again" in desk.screen_text)
