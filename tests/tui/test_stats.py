"""/stats: every number of the last reply and of the conversation."""

from __future__ import annotations

from typing import Any

import pytest

from localspec.chat.events import Message, Ready
from localspec.chat.history import History
from localspec.engine.stats import Stats
from localspec.tui.dialogue import UNFINISHED
from localspec.tui.numbers import numbers
from localspec.tui.screens.stats import StatsScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

READY = Ready("pair", "t.gguf", "d.gguf", "CPU", 8192, 0.1, plain_pass_s=0.04)
FIRST = reply(burst("a", " b", " c"), burst(" d", " e", source="suffix", rejected=[" x"]))
SECOND = reply(burst("f"), burst(" g", " h"))


async def opened(desk: Desk) -> dict[str, str]:
    await desk.send("/stats")
    await desk.until(lambda: isinstance(desk.app.screen, StatsScreen))
    await desk.until(lambda: "esc closes" in desk.screen_text)
    lines = [line.strip() for line in desk.screen_text.splitlines() if line.strip()]
    # Of two rows with one name, passes by source come last.
    return {line[:31].strip(): line[31:].strip() for line in reversed(lines)}


async def test_both_columns_are_counted(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(FIRST, SECOND, loading=[READY])
    async with open_desk(backend, size=(80, 60)) as desk:
        await desk.ask("one")
        await desk.ask("two")
        table = await opened(desk)
        assert table["of the reply"].split() == ["3", "8"]
        assert table["tokens per second"].split() == ["30.0", "40.0"]
        assert table["plain decoding"] == "25.0"
        assert table["measured on"] == "one pass, timed at the load"
        assert table["speed-up"].split() == ["1.2x", "1.6x"]
        assert table["passes of the target"].split() == ["2", "4"]
        assert table["of these, with drafts"].split() == ["1", "3"]
        assert table["acceptance rate"].split() == ["100%", "80%"]
        assert table["tokens a pass with drafts"].split() == ["2.0", "2.3"]
        assert table["1"].split() == ["━━━━━", "100%", "of", "1", "━━━━━", "100%", "of", "3"]
        assert table["2"].split() == ["━━───", "50%", "of", "2"]
        assert table["suffix"].split() == ["━━───", "50%", "of", "2"]
        assert table["without a draft"].split() == ["1", "1"]
        assert table["speculation"] == "active"
        await desk.pilot.press("escape")
        assert desk.app.screen is desk.chat


@pytest.mark.parametrize("width", [60, 40])
async def test_a_narrow_screen_has_one_column(open_desk: OpenDesk, width: int) -> None:
    """Values fell under their labels, and words broke."""
    async with open_desk(ScriptedBackend(FIRST, SECOND, loading=[READY]), size=(width, 20)) as desk:
        await desk.ask("one")
        await desk.ask("two")
        await desk.send("/stats")
        await desk.until(lambda: isinstance(desk.app.screen, StatsScreen))
        await desk.until(lambda: "of the reply" in desk.screen_text)
        seen: list[str] = []
        for _ in range(20):
            assert "esc closes" in desk.screen_text
            # The scroll bar's end may stand right after a value.
            lines = desk.screen_text.splitlines()
            seen += [" ".join(line.rstrip("▁▂▃▄▅▆▇█").split()) for line in lines]
            await desk.pilot.press("pagedown")
            await desk.pilot.pause(0.05)
        # The last reply's, then those of all.
        assert "last reply" in seen and "all replies (2)" in seen
        for row in ("of the reply 3", "of the reply 8", "speed-up 1.2x", "speed-up 1.6x"):
            assert row in seen
        assert "2 ━━─── 50% of 2" in seen
        assert ("one pass, timed at the load" in seen) == (width == 40)


async def test_the_numbers_follow_the_width(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(FIRST, loading=[READY]), size=(80, 60)) as desk:
        await desk.ask("one")
        await opened(desk)
        assert "last reply            all replies (1)" in desk.screen_text
        await desk.pilot.resize_terminal(60, 60)
        await desk.until(lambda: "last reply            all" not in desk.screen_text)
        await desk.pilot.resize_terminal(80, 60)
        await desk.until(lambda: "last reply            all replies (1)" in desk.screen_text)


async def test_saved_numbers_are_the_same_after_a_resume(
    open_desk: OpenDesk, history: History
) -> None:
    async with open_desk(ScriptedBackend(FIRST, SECOND, loading=[READY]), size=(80, 60)) as desk:
        await desk.ask("one")
        await desk.ask("two")
        before = await opened(desk)
        conversation = desk.app.conversation
    async with open_desk(ScriptedBackend(), size=(80, 60), conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        assert await opened(desk) == before


async def test_passes_without_drafts_are_named_as_the_measure(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(*[burst(f"{n} ") for n in range(9)]), SECOND, loading=[READY])
    async with open_desk(backend, size=(80, 60)) as desk:
        await desk.ask("one")
        await desk.ask("two")
        assert (await opened(desk))["measured on"] == "10 passes without drafts"


@pytest.mark.parametrize("running", [False, True])
async def test_without_a_finished_reply_it_says_so(open_desk: OpenDesk, running: bool) -> None:
    async with open_desk(ScriptedBackend([burst("half"), HOLD])) as desk:
        await desk.phase(Phase.READY)
        if running:
            await desk.send("hi")
            await desk.until(lambda: "half" in desk.screen_text)
        await desk.send("/stats")
        assert desk.hint == "There are no numbers yet; they come with the end of a reply."


async def test_numbers_of_older_replies_are_enough(open_desk: OpenDesk, history: History) -> None:
    """Saved before plain speed was, or by another program."""
    conversation = history.start("pair")
    history.append(conversation, Message("user", "hi"))
    saved = Stats(num_tokens=7, decode_s=0.5).report()
    history.append(conversation, Message("assistant", "old"), saved)
    async with open_desk(ScriptedBackend(), size=(80, 60), conversation=conversation) as desk:
        await desk.phase(Phase.READY)
        table = await opened(desk)
        assert table["tokens per second"].split() == ["14.0", "14.0"]
        assert table["plain decoding"] == table["measured on"] == "n/a"


@pytest.mark.parametrize(
    "change",
    [
        {"num_tokens": {"a": 1}},
        {"num_tokens": -1},
        {"num_tokens": 10**400},
        {"decode_s": float("nan")},
        {"decode_s": float("inf")},
        {"num_accepted_tokens_per_pos": [1, 2, 3]},
        {"num_draft_tokens_per_source": ["draft"]},
        {"plain": {"tokens_per_second": "fast"}},
        {"plain": 7},
        {"speedup": "much"},
        {"speedup": [1]},
    ],
)
def test_numbers_of_an_imported_file_may_be_anything(change: dict[str, Any]) -> None:
    assert numbers(Stats(num_tokens=3).report() | change) is None


@pytest.mark.parametrize("saved", [None, {}, UNFINISHED])
def test_a_reply_without_numbers_has_none(saved: dict[str, Any] | None) -> None:
    assert numbers(saved) is None
