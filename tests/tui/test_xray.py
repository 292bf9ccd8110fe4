"""F3, F4 and /xray: who proposed what, in the running reply and in finished ones."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from localspec.chat.events import Event
from localspec.tui.ink import Stroke
from localspec.tui.marking import Marking
from localspec.tui.talk import Phase
from localspec.tui.widgets.prose import Prose
from localspec.tui.widgets.tail import Tail
from localspec.tui.widgets.xray import Exposure, Film
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished, reply

BURSTS = [burst("# One", " **two**", rejected=[" wrong", " guess"]), burst(" three", " four")]
SAID = reply(*BURSTS)
RAW = "# One **two** three four"
WITH_REJECTED = "# One~ wrong guess~ **two** three four"


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause(0.05)


async def test_f3_takes_the_marks_off_and_puts_them_back(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend([*BURSTS, HOLD])) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "four" in desk.screen_text)
        tail = desk.chat.query_one(Tail)
        before = len(tail.render().spans)
        await press(desk.pilot, "f3")
        # What is left is the place of the next token.
        assert len(tail.render().spans) == 1 < before
        assert desk.hint == Marking.OFF.value
        await press(desk.pilot, "f3")
        assert len(tail.render().spans) == before


async def test_f4_shows_raw_text_then_rejected_drafts_then_markdown_again(
    open_desk: OpenDesk,
) -> None:
    async with open_desk(ScriptedBackend(SAID)) as desk:
        await desk.ask("hi")
        assert RAW not in desk.screen_text
        await press(desk.pilot, "f4")
        await desk.until(lambda: RAW in desk.screen_text)
        await press(desk.pilot, "f4")
        await desk.until(lambda: WITH_REJECTED in desk.screen_text)
        await press(desk.pilot, "f4")
        await desk.until(lambda: "One two three four" in desk.screen_text)
        assert not desk.chat.query(Exposure)


async def test_the_xray_of_a_reply_that_runs_goes_on_to_its_end(open_desk: OpenDesk) -> None:
    lines = [burst(f"line {n}", " *end*\n", rejected=[" bad"]) for n in range(30)]
    parts: list[Event | str] = [*lines[:10], HOLD, *lines[10:], HOLD]
    async with open_desk(ScriptedBackend([*parts, *reply(*lines)[-1:]]), size=(80, 60)) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/xray rejected")
        await desk.send("hi")
        await desk.until(lambda: "line 9~ bad~ *end*" in desk.screen_text)
        desk.clock.now += 1
        _go_on(desk)
        await desk.until(lambda: "line 29~ bad~ *end*" in desk.screen_text)
        _go_on(desk)
        await desk.phase(Phase.READY)
        rows = [line for line in desk.screen_text.splitlines() if "~ bad~" in line]
        assert len(rows) == 30
        assert not [page for page in desk.chat.query(Prose) if page.display]
        assert "".join(page.source for page in desk.chat.query(Prose)).count("*end*") == 30


@pytest.mark.parametrize(
    ("mode", "marking"),
    [("on", Marking.XRAY), ("rejected", Marking.REJECTED), ("off", Marking.LIVE)],
)
async def test_xray_takes_a_mode(open_desk: OpenDesk, mode: str, marking: Marking) -> None:
    async with open_desk(ScriptedBackend(SAID)) as desk:
        await desk.ask("hi")
        await desk.send(f"/xray {mode}")
        assert desk.hint == marking.value
        assert desk.transcript.marking is marking


async def test_another_mode_is_refused(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/xray vision")
        assert "/xray takes on, rejected, off, not vision." in desk.hint


async def test_what_is_copied_and_kept_is_the_raw_reply(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(SAID)) as desk:
        await desk.ask("hi")
        await press(desk.pilot, "f4", "f4")
        desk.chat.text_select_all()
        await press(desk.pilot, "ctrl+c")
        assert RAW in desk.app.clipboard
        assert "wrong" not in desk.app.clipboard
        assert desk.chat._dialogue.turns[-1].content == RAW


async def test_a_reply_that_ends_otherwise_is_shown_so(open_desk: OpenDesk) -> None:
    """A stop string takes back text that was shown."""
    backend = ScriptedBackend([burst("kept", " taken back"), finished("kept and given")])
    async with open_desk(backend) as desk:
        await desk.ask("hi")
        await press(desk.pilot, "f4")
        await desk.until(lambda: "kept and given" in desk.screen_text)
        assert "taken back" not in desk.screen_text


async def test_a_new_conversation_and_a_withdrawn_question_leave_nothing(
    open_desk: OpenDesk,
) -> None:
    async with open_desk(ScriptedBackend([HOLD], SAID)) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        await press(desk.pilot, "escape", "f4")
        await desk.ask("hi")
        await desk.until(lambda: RAW in desk.screen_text)
        await desk.send("/clear")
        await press(desk.pilot, "f4", "f4", "f4")
        assert not desk.chat.query(Exposure)


async def test_the_theme_of_an_xray_can_change(open_desk: OpenDesk) -> None:
    """Finished text kept the colours of the theme before."""
    async with open_desk(ScriptedBackend(SAID)) as desk:
        await desk.ask("hi")
        await press(desk.pilot, "f4")
        page = desk.chat.query_one(Exposure)
        before = page.render().spans
        desk.app.theme = "localspec-light"
        await desk.pilot.pause(0.1)
        assert page.render().spans != before


async def test_only_the_newest_replies_keep_who_proposed_them(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The origins of every token ever shown would fill the memory."""
    monkeypatch.setattr("localspec.tui.widgets.transcript._MOST_MARKED", 1)
    async with open_desk(ScriptedBackend(SAID, SAID)) as desk:
        await desk.ask("hi")
        await press(desk.pilot, "f4")
        await desk.ask("again")
        await desk.until(lambda: "One two three four" in desk.screen_text)
        assert desk.screen_text.count(RAW) == 1


def test_a_long_reply_is_cut_into_pages_and_nothing_is_lost() -> None:
    film = Film()
    strokes = [Stroke(f"{n} words and more\n", "draft" if n % 3 else "target") for n in range(900)]
    film.add([*strokes, Stroke("x" * 20_000, "draft"), Stroke("end", "target")])
    text = "".join(stroke.text for page in film.pages for stroke in page)
    assert text == "".join(stroke.text for stroke in strokes) + "x" * 20_000 + "end"
    assert len(film.pages) > 5
    assert max(len(page) for page in film.pages[:-2]) < 400


@pytest.mark.parametrize("text", ["", "ab", "abX", "abcd and more"])
def test_a_film_follows_the_last_word(text: str) -> None:
    film = Film()
    film.add([Stroke("ab", "draft"), Stroke("no", "draft", rejected=True), Stroke("cd", "target")])
    film.cut(text)
    kept = [stroke.text for page in film.pages for stroke in page if not stroke.rejected]
    assert "".join(kept) == text


def _go_on(desk: Desk) -> None:
    desk.chat._link._backend.go_on()


async def test_a_continued_reply_is_whole_under_the_xray(open_desk: OpenDesk) -> None:
    """What was there already was missing from the raw text."""
    more = reply(burst(" **five**", rejected=[" bad"]))
    async with open_desk(ScriptedBackend([*BURSTS, HOLD], more)) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/xray rejected")
        await desk.send("hi")
        await desk.until(lambda: "four" in desk.screen_text)
        await press(desk.pilot, "escape")
        await desk.phase(Phase.READY)
        await desk.send("/continue")
        await desk.until(lambda: f"{RAW}~ bad~ **five**" in desk.screen_text)
        await desk.until(lambda: "continued" in desk.screen_text)


async def test_versions_change_under_the_xray(open_desk: OpenDesk) -> None:
    """Pages of the x-ray stayed when their reply left the screen."""
    async with open_desk(ScriptedBackend(SAID, reply(burst("*another*")))) as desk:
        await desk.ask("hi")
        await press(desk.pilot, "f4")
        await desk.until(lambda: RAW in desk.screen_text)
        await press(desk.pilot, "ctrl+r")
        await desk.until(lambda: "*another*" in desk.screen_text and "2 of 2" in desk.screen_text)
        assert RAW not in desk.screen_text
        await desk.phase(Phase.READY)
        await press(desk.pilot, "left")
        await desk.until(lambda: "1 of 2" in desk.screen_text)
        assert not desk.chat.query(Exposure)
        assert "One two three four" in desk.screen_text
        await press(desk.pilot, "f4", "f4", "right")
        await desk.until(lambda: "another" in desk.screen_text)
