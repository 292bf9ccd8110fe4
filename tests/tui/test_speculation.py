"""The mode and its light, before and between replies."""

from __future__ import annotations

from localspec.chat.events import Message, Ready
from localspec.chat.history import History
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply


async def test_before_a_reply_nothing_is_claimed(open_desk: OpenDesk) -> None:
    """A loaded draft had the mark of one that is off, beside three numbers called n/a."""
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("· draft")
        assert "n/a" not in desk.status
        assert "tok/s" not in desk.status


async def test_off_has_the_mark_of_off(open_desk: OpenDesk) -> None:
    """Off must not look like not known yet."""
    async with open_desk(ScriptedBackend(), spec="off") as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("○ off")


async def test_f2_goes_away_from_the_mode_in_force(open_desk: OpenDesk) -> None:
    """With a refused draft the first F2 went from off to off."""
    refused = Ready("pair", "t", "d", "CPU", 64, 0.1, spec_off_reason="another vocabulary")
    async with open_desk(ScriptedBackend(loading=[refused])) as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("○ off: another vocabulary")
        await desk.pilot.press("f2")
        assert desk.status.endswith("· suffix")
        await desk.pilot.press("f2")
        assert desk.status.endswith("○ off")


async def test_the_context_of_a_resumed_conversation_is_not_known(
    open_desk: OpenDesk, history: History
) -> None:
    """`--resume` showed an empty context under a full conversation."""
    conversation = history.start("pair")
    history.append(conversation, Message("user", "old"))
    history.append(conversation, Message("assistant", "reply"))
    async with open_desk(ScriptedBackend(reply(burst("a"))), conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        assert "? / 8,192 context" in desk.status
        await desk.ask("new")
        assert "13 / 8,192 context" in desk.status
