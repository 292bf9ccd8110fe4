"""Thinking is one line while it streams and after, readable and never the answer (B26)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localspec.chat.events import Burst, Event, Message, Opened
from localspec.chat.history import History
from localspec.tui.talk import Phase
from localspec.tui.widgets.prose import Prose
from localspec.tui.widgets.tail import Tail
from localspec.tui.widgets.thought_line import ThoughtLine
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished, reply

WHOLE = "<think>\nFirst this.\nThen that.\n</think>\n\nThe answer."


def line(desk: Desk) -> str:
    return desk.chat.query_one(ThoughtLine).render().plain


def answer(desk: Desk) -> str:
    pages = desk.chat.query(Prose)
    return "".join(page.source for page in pages if not page.has_class("thinking"))


def slow(text: str, num_tokens: int, seconds: float) -> Burst:
    each = burst(*[text, *[""] * (num_tokens - 1)])
    return replace(each, elapsed_s=seconds)


async def test_it_is_one_line_with_its_newest_words_while_it_streams(open_desk: OpenDesk) -> None:
    thoughts = [slow(f"Thought {n} goes on.\n", 30, 0.7) for n in range(10)]
    script: list[Event | str] = [
        burst("<think>\n"), *thoughts, HOLD, slow("</think>\n\n", 1, 0), burst("Yes."), HOLD,
    ]  # fmt: skip
    backend = ScriptedBackend(script)
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "Thought 9" in desk.screen_text)
        assert line(desk) == "▸ thinking · 300 tokens · 7 s"
        await desk.until(lambda: "Thought 7" not in desk.screen_text)
        assert "300 " not in desk.status.split("context")[0]
        backend.go_on()
        await desk.until(lambda: "Yes." in desk.screen_text)
        assert line(desk) == "▸ thought for 7 s, 300 tokens"
        assert "Thought 9" not in desk.screen_text
        assert desk.chat.query_one(Tail).plain == "Yes.▌"
        assert desk.chat._talk._turn.meter.stats.num_tokens == 303  # type: ignore[union-attr]


async def test_a_key_unfolds_it_live_and_after_and_folds_it_again(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([
        burst("<think>\n**One** is", " first.\n\nTwo.\n\nThree.\n"), HOLD,
        burst("Four.\n</think>\nYes."), finished("<think>\n**One** is first.\n\nTwo.\n\nThree.\n"
        "Four.\n</think>\nYes."),
    ])  # fmt: skip
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "Three." in desk.screen_text)
        await desk.until(lambda: "One is first." not in desk.screen_text)
        await desk.pilot.press("ctrl+t")
        await desk.until(lambda: "One is first." in desk.screen_text)
        backend.go_on()
        await desk.phase(Phase.READY)
        await desk.until(lambda: "Four." in desk.screen_text and "▾ thought" in desk.screen_text)
        await desk.pilot.press("ctrl+t")
        await desk.until(lambda: "Four." not in desk.screen_text)
        assert "Yes." in desk.screen_text
        await desk.pilot.press("f9", "t")
        await desk.until(lambda: "Four." in desk.screen_text)
        await desk.pilot.press("t", "escape")
        await desk.until(lambda: "Four." not in desk.screen_text)
        await desk.pilot.click(ThoughtLine)
        await desk.until(lambda: "Four." in desk.screen_text)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100])
async def test_the_answer_is_free_of_it_however_it_is_cut(open_desk: OpenDesk, size: int) -> None:
    """A tag split over two bursts leaked the thinking into the answer."""
    parts = [WHOLE[start : start + size] for start in range(0, len(WHOLE), size)]
    async with open_desk(ScriptedBackend(reply(*map(burst, parts)))) as desk:
        await desk.ask("hi")
        assert answer(desk) == "The answer."
        assert "think>" not in desk.screen_text
        assert desk.chat._dialogue.turns[-1].content == WHOLE


async def test_a_prompt_that_opened_it_leaves_only_the_closing_tag(open_desk: OpenDesk) -> None:
    text = WHOLE.removeprefix("<think>\n")
    backend = ScriptedBackend([Opened("<think>"), *reply(burst(text))])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        assert answer(desk) == "The answer."
        assert line(desk).startswith("▸ thought")
        await desk.pilot.press(*"/copy", "enter")
        assert desk.app.clipboard == text


async def test_what_was_stopped_while_thinking_is_readable(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("<think>\nHalf a", " thought"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "Half a thought" in desk.screen_text)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.until(lambda: "▾ thought" in desk.screen_text)
        assert "Half a thought" in desk.screen_text


async def test_an_answer_without_thinking_is_readable_where_the_prompt_opened_it(
    open_desk: OpenDesk,
) -> None:
    """Some models just answer, and never close what the prompt opened."""
    async with open_desk(ScriptedBackend([Opened("<think>"), *reply(burst("Just 4."))])) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "Just 4." in desk.screen_text)


async def test_a_stopped_thought_goes_on(open_desk: OpenDesk) -> None:
    first = [Opened("<think>"), slow("Half", 40, 3.0), HOLD]
    rest = [slow(" of it.\n", 8, 1.4), burst("</think>\n"), burst("Yes.")]
    second = [Opened("<think>"), *rest, finished(" of it.\n</think>\nYes.")]
    backend = ScriptedBackend(first, second)
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "Half" in desk.screen_text)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        await desk.pilot.press(*"/continue", "enter")
        await desk.until(lambda: "Yes." in desk.screen_text)
        await desk.phase(Phase.READY)
        assert line(desk) == "▸ thought for 4 s, 48 tokens"
        assert answer(desk) == "Yes."


async def test_tags_of_the_user_are_text(open_desk: OpenDesk) -> None:
    text = "What does </think> do? <think>"
    backend = ScriptedBackend([burst("Between `<think>` and", " `</think>` it thinks."), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send(text)
        await desk.until(lambda: "it thinks." in desk.screen_text)
        assert text in desk.screen_text
        assert not desk.chat.query(ThoughtLine)


async def test_a_resumed_reply_is_folded_as_it_was(open_desk: OpenDesk, history: History) -> None:
    rest = [burst("</think>\n\n"), burst("Yes.")]
    script = [Opened("<think>"), slow("Hm.\n", 640, 72.2), *rest]
    backend = ScriptedBackend([*script, finished("Hm.\n</think>\n\nYes.")])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        before, conversation = line(desk), desk.app.conversation
    async with open_desk(ScriptedBackend(), conversation=conversation) as desk:
        await desk.until(lambda: "Yes." in desk.screen_text)
        assert line(desk) == before == "▸ thought for 1 min 12 s, 640 tokens"
        assert "Hm." not in desk.screen_text
        await desk.pilot.press("ctrl+t")
        await desk.until(lambda: "Hm." in desk.screen_text)


@pytest.mark.parametrize("stats", [None, {"thinking": 7}, {"thinking": {"tag": [], "blocks": [1]}}])
async def test_a_reply_from_elsewhere_is_folded(
    open_desk: OpenDesk, history: History, stats: dict[str, object] | None
) -> None:
    """An imported file may say anything."""
    conversation = history.start("pair")
    history.append(conversation, Message("user", "hi"))
    history.append(conversation, Message("assistant", WHOLE), stats)
    async with open_desk(ScriptedBackend(), conversation=conversation) as desk:
        await desk.until(lambda: "The answer." in desk.screen_text)
        assert line(desk) == "▸ thought · 4 words"


async def test_the_last_event_may_take_thinking_back(open_desk: OpenDesk) -> None:
    """As for a stop string."""
    text = "<think>\nHm.\n</think>\n\nYes."
    backend = ScriptedBackend([burst(text, " And more."), finished(text)])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "And more" not in desk.screen_text)
        assert answer(desk) == "Yes."
        assert desk.chat.query(ThoughtLine)


async def test_the_xray_shows_it_raw(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst(WHOLE)))) as desk:
        await desk.ask("hi")
        await desk.pilot.press("f4")
        await desk.until(lambda: "</think>" in desk.screen_text)
        assert "▸ thought" not in desk.screen_text
        assert desk.screen_text.index("<think>") < desk.screen_text.index("First this.")
        await desk.pilot.press("f4", "f4")
        await desk.until(lambda: "</think>" not in desk.screen_text)
        assert "▸ thought" in desk.screen_text


async def test_without_thinking_the_key_says_so(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst("Yes.")))) as desk:
        await desk.ask("hi")
        await desk.pilot.press("ctrl+t")
        await desk.until(lambda: "no thinking" in desk.hint)
