"""A reply as it arrives: marked by origin, counted truly, drawn as text and nothing else."""

from __future__ import annotations

import pytest

from localspec.chat.events import Burst, Piece
from localspec.engine.interface import Prefill, Round
from localspec.tui.talk import Phase
from localspec.tui.widgets.prose import Prose
from localspec.tui.widgets.tail import Tail
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished, reply


def marks(tail: Tail) -> dict[str, tuple[bool, bool, str]]:
    """Each styled stretch of the tail: underlined or not, bold or not, and in what colour."""
    content = tail.render()
    return {
        content.plain[span.start : span.end]: (
            bool(span.style.underline),
            bool(span.style.bold),
            str(span.style.foreground),
        )
        for span in content.spans
        if not isinstance(span.style, str)
    }


async def test_each_origin_has_a_colour_and_a_mark_of_its_own(open_desk: OpenDesk) -> None:
    """What was copied from two places looked the same, but for the slant."""
    drafted = burst(" drafted", " too", " own")
    looked_up = burst(" found", " mine", source="suffix")
    predicted = burst(" given", " last", source="predicted")
    backend = ScriptedBackend([drafted, looked_up, predicted, HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "last" in desk.screen_text)
        shown = marks(desk.chat.query_one(Tail))
        assert shown.keys() == {"drafted", "too", "found", "given", "▌"}
        found = [shown[word] for word in ("drafted", "found", "given")]
        assert [mark[:2] for mark in found] == [(True, False), (True, True), (False, True)]
        assert len({mark[2] for mark in found}) == 3


async def test_text_dries_into_markdown_and_its_newest_lines_stay_wet(open_desk: OpenDesk) -> None:
    lines = burst("# Title\n", "\n", "one\n", "two\n", "three\n", "four")
    backend = ScriptedBackend([lines, HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "four" in desk.screen_text)
        assert desk.chat.query_one(Tail).plain == "two\nthree\nfour▌"
        assert desk.chat.query_one(Prose).source == "# Title\n\none\n"
        backend.stop()
        await desk.phase(Phase.READY)
        assert not desk.chat.query(Tail)
        assert desk.chat.query_one(Prose).source.endswith("three\nfour")


@pytest.mark.parametrize(
    "text",
    [
        "[bold]x[/] and [@click=app.quit]y[/]",
        "<script>alert(1)</script>",
        "[/] [ [[ ]] \\[",
        "{{ braces }} $variables %s",
    ],
)
async def test_markup_is_text(open_desk: OpenDesk, text: str) -> None:
    """In the question, in the tail, in the dry reply, and when it is opened again."""
    backend = ScriptedBackend([burst(text), HOLD])
    async with open_desk(backend, size=(120, 30)) as desk:
        await desk.phase(Phase.READY)
        await desk.send(text)
        await desk.until(lambda: desk.screen_text.count(text) == 2)
        backend.stop()
        await desk.phase(Phase.READY)
        await desk.pilot.pause()
        # Markdown itself eats the backslash.
        assert desk.screen_text.count(text.replace("\\[", "[")) >= 1


async def test_escape_codes_never_reach_the_terminal(open_desk: OpenDesk) -> None:
    evil = "a\x1b[2Jb\x1b]0;title\x07c\x9b1md\u202ee\ud800f\x00g"
    backend = ScriptedBackend(reply(burst(evil, f"\n\n```\n{evil}\n```\n")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send(evil.replace("\ud800", ""))
        await desk.phase(Phase.READY)
        await desk.until(lambda: "a[2Jb]0;titlec1mdefg" in desk.screen_text)
        for row in desk.app.screen._compositor.render_strips():
            assert row.text.isprintable()


async def test_status_counts_what_the_rounds_say(open_desk: OpenDesk) -> None:
    rounds = [burst("a", "b", "c", drafted=4), burst("d", drafted=4)]
    backend = ScriptedBackend([Prefill(50, 99), HOLD, Prefill(99, 99), *rounds, HOLD])
    async with open_desk(backend, size=(120, 30)) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "reading the prompt" in desk.status)
        assert "50 / 99" in desk.status
        backend.go_on()
        # Numbers are counted as the clock goes, not as tokens come.
        await desk.until(lambda: "abcd" in desk.screen_text)
        desk.clock.now += 1
        await desk.until(lambda: "25% accepted" in desk.status)
        assert " 2.0 a pass" in desk.status
        assert "104 / 8,192 context" in desk.status
        assert desk.status.endswith("● active · draft")


async def test_numbers_never_move_sideways(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(
        *[reply(*(burst("x", "y", drafted=3) for _ in range(n))) for n in (60, 2)]
    )
    async with open_desk(backend, size=(120, 30)) as desk:
        await desk.phase(Phase.READY)
        start = desk.status.index("context")
        await desk.ask("hi")
        assert desk.status.index("context") == start
        before = desk.status
        await desk.ask("again")
        for label in ("tok/s", "accepted", "a pass", "drafted", "context", "verify", "sampling"):
            assert before.index(label) == desk.status.index(label)


async def test_the_light_is_off_when_no_draft_was_tested(open_desk: OpenDesk) -> None:
    """Configured is not the same as working."""
    async with open_desk(ScriptedBackend(reply(burst("plain", drafted=0)))) as desk:
        await desk.ask("hi")
        assert desk.status.endswith("○ idle (wouldn't pay here)")
        assert "accepted" not in desk.status
        await desk.until(lambda: "· speculation idle (wouldn't pay here)" in desk.screen_text)


async def test_a_finished_reply_has_its_numbers_under_it(open_desk: OpenDesk) -> None:
    numbers = {
        "tokens_per_second": 96.04,
        "num_tokens": 214,
        "num_drafts": 90,
        "acceptance_rate": 0.82,
    }
    backend = ScriptedBackend([burst("ok"), finished("ok", "length", **numbers)])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        line = "96 tok/s · 214 tokens · 82% of drafts accepted · length limit"
        await desk.until(lambda: line in desk.screen_text)


async def test_the_last_event_has_the_last_word(open_desk: OpenDesk) -> None:
    """A stop string may take back text that was shown."""
    backend = ScriptedBackend([burst("kept", " taken back"), finished("kept")])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "taken back" not in desk.screen_text)
        assert desk.chat._dialogue.turns[-1].content == "kept"
        assert "kept" in desk.screen_text


async def test_text_that_came_only_with_the_end_is_shown(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("held"), finished("held back")])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "held back" in desk.screen_text)


async def test_pieces_without_text_are_no_trouble(open_desk: OpenDesk) -> None:
    """Half a character has no text yet."""
    round_ = Round((1, 2), 1, 1, ("draft",))
    empty = Burst((Piece("", "draft"), Piece("", "target")), round_, 0.01)
    backend = ScriptedBackend([empty, burst("🎉 日本語"), finished("🎉 日本語")])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await desk.until(lambda: "🎉 日本語" in desk.screen_text)


async def test_a_long_reply_is_laid_out_in_pages_and_folded_out_of_sight(
    open_desk: OpenDesk,
) -> None:
    text = "".join(f"## Part {n}\n\nSome words about it.\n\n" for n in range(200))
    backend = ScriptedBackend([burst(text), finished(text)])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        pages = list(desk.chat.query(Prose))
        assert "".join(page.source for page in pages) == text
        await desk.until(lambda: sum(page._folded for page in pages) > len(pages) // 2)
        await desk.until(lambda: "Part 199" in desk.screen_text)
        desk.transcript.scroll_home(animate=False)
        await desk.until(lambda: "Part 0" in desk.screen_text and "Part 3" in desk.screen_text)
