"""The mode and its light, before and between replies."""

from __future__ import annotations

from localspec.chat.events import Message, Notice, Ready
from localspec.chat.history import History
from localspec.engine.interface import Prefill
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


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
        assert desk.status.endswith("○ off (turned off)")


REFUSED = Ready("pair", "t", "", "CPU", 64, 0.1, spec_off_reason="the draft failed")


async def test_f2_goes_away_from_the_mode_in_force(open_desk: OpenDesk) -> None:
    """With a refused draft the first F2 went from off to off."""
    async with open_desk(ScriptedBackend(loading=[REFUSED]), spec="draft") as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("○ off (the draft failed)")
        await desk.pilot.press("f2")
        assert desk.status.endswith("· suffix")
        await desk.pilot.press("f2")
        assert desk.status.endswith("○ off (turned off)")
        await desk.pilot.press("f2")
        assert desk.status.endswith("· suffix")


async def test_without_a_draft_the_other_source_is_not_off(open_desk: OpenDesk) -> None:
    """Prompt lookup drafted while the status said off."""
    backend = ScriptedBackend(reply(burst("a", "b", source="suffix")), loading=[REFUSED])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("· suffix")
        await desk.ask("hi")
        assert desk.status.endswith("● active · suffix")


async def test_memory_that_cannot_be_cut_turns_every_mode_off(open_desk: OpenDesk) -> None:
    reason = "its memory can't be cut"
    ready = Ready("pair", "t", "", "CPU", 64, 0.1, spec_off_reason=reason, can_copy=False)
    async with open_desk(ScriptedBackend(loading=[ready])) as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith(f"○ off ({reason})")


async def test_a_draft_that_dies_in_a_reply_is_said_and_shown(open_desk: OpenDesk) -> None:
    """The light of a reply stayed on after its last source had failed (B31)."""
    reason = "the draft model failed: out of memory"
    notice = Notice(f"speculation: off ({reason}). F5 loads it again.", reason)
    plain = [burst("c", drafted=0), HOLD]
    backend = ScriptedBackend([Prefill(9, 9), burst("a", "b"), HOLD, notice, *plain])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: _status_later(desk).endswith("● active · draft"))
        backend.go_on()
        await desk.until(lambda: "F5 loads it again." in desk.screen_text)
        await desk.until(lambda: _status_later(desk).endswith(f"○ off ({reason})"))
        assert "tok/s" in desk.status


def _status_later(desk: Desk) -> str:
    """The status is counted anew a few times a second."""
    desk.clock.now += 1
    return desk.status


async def test_a_changed_mode_says_nothing_of_the_reply_before(open_desk: OpenDesk) -> None:
    """After /spec the light told of drafts that the new mode had never made."""
    async with open_desk(ScriptedBackend(reply(burst("a", "b")))) as desk:
        await desk.ask("hi")
        assert desk.status.endswith("● active · draft")
        await desk.send("/spec suffix")
        assert desk.status.endswith("· suffix")
        assert "●" not in desk.status


async def test_a_long_reason_leaves_room_for_the_numbers(open_desk: OpenDesk) -> None:
    ready = Ready("pair", "t", "", "CPU", 64, 0.1, spec_off_reason="far too long " * 20)
    backend = ScriptedBackend(loading=[ready])
    async with open_desk(backend, spec="draft", size=(140, 30)) as desk:
        await desk.phase(Phase.READY)
        assert desk.status.endswith("…")
        assert "context" in desk.status


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
