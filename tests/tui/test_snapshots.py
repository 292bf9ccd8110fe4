"""The look of the screen. After a wanted change: pytest tests/tui --snapshot-update."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from localspec.chat.events import Finished, Ready
from localspec.chat.history import History
from localspec.engine.interface import Prefill
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.talk import Phase
from tests.tui.conftest import Clock, Desk
from tests.tui.scripted import HOLD, Script, ScriptedBackend, burst, reply

LOADED: Script = [
    Ready(
        "qwen2.5-coder-1.5b",
        "target.gguf",
        "smollm2-135m.gguf",
        "CPU",
        8192,
        3.0,
        plain_pass_s=0.045,
        memory_bytes=1_934_000_000,
    )
]
FIRST = reply(burst("Use", " a", " `dict`", ": it", " is quick."))
BURSTS = [
    burst("Here", " it", " is"),
    burst(":\n\n```python\n"),
    burst("class", " Cache", ":\n", rejected=["(object", "):"]),
    burst("    def", " get", "(self", ", key", "):\n", drafted=5),
    burst("        value", " =", " self", source="predicted"),
    burst(".items", "[key]\n", rejected=[".get", "(key"]),
    burst("        return", " value", source="suffix"),
]
SECOND: Script = [Prefill(99, 99, elapsed_s=0.12), *BURSTS[:-1], HOLD, BURSTS[-1], HOLD]
THOUGHT = [
    burst("<think>", "\n"),
    replace(burst("The question is", " about caches", ", so a"), elapsed_s=7.0),
    replace(burst(" dict", " with a bound", " will do.\n"), elapsed_s=5.0),
    burst("Least recently", " used goes", " first.\n", source="suffix"),
]
THINKING: Script = [Prefill(99, 99, elapsed_s=0.12), *THOUGHT, HOLD]
ANSWERED = reply(*THOUGHT, burst("</think>", "\n\n"), *BURSTS, burst("\n```\n"))
WHOLE = reply(*BURSTS, burst("\n```\n"))
assert isinstance(WHOLE[-1], Finished)

Snap = Callable[..., bool]
Act = Callable[[Desk], Awaitable[None]]
Scene = Callable[[Desk], object]


@pytest.fixture
def snap(snap_compare: Snap, history: History) -> Callable[..., bool]:
    """Compares the screen after a first reply, a second question, and these keys."""

    def snap(
        second: Script,
        keys: str = "",
        theme: str = "localspec-dark",
        act: Act | None = None,
        **options: int,
    ) -> bool:
        backend = ScriptedBackend(FIRST, second, loading=LOADED)
        clock = Clock()
        settings = load_settings(theme=theme)
        app = ChatApp(lambda name: backend, "pair", history, settings, None, clock)

        async def play(pilot: Pilot[None]) -> None:
            desk = Desk(app, pilot, clock)
            await desk.ask("What is a good cache?")
            await desk.phase(Phase.READY)
            await desk.send("Show me one.")
            if second is not THINKING:
                await desk.until(lambda: "[key]" in desk.screen_text)
            clock.now += 0.5
            if HOLD not in second:
                await desk.phase(Phase.READY)
            elif second is not THINKING:
                backend.go_on()
            await desk.until(
                lambda: ("first." if second is THINKING else "return value") in desk.screen_text
            )
            # The numbers under a running reply are counted anew, with all that has come.
            clock.now += 0.25
            await desk.pilot.pause(0.2)
            if act is not None:
                await act(desk)
            if keys:
                await desk.pilot.press(*keys.split())
                for field in app.screen.query(Input):
                    field.cursor_blink = False
            if second is THINKING:
                await desk.until(lambda: "first." in desk.screen_text)
            await desk.pilot.pause(0.2)

        size = (options.get("width", 100), options.get("height", 28))
        try:
            return snap_compare(app, terminal_size=size, run_before=play)
        finally:
            asyncio.set_event_loop(None)

    return snap


@pytest.mark.parametrize("theme", ["localspec-dark", "localspec-light"])
def test_the_middle_of_a_reply(snap: Callable[..., bool], theme: str) -> None:
    assert snap(SECOND, theme=theme)


@pytest.mark.parametrize("keys", ["f3", "f4", "f4 f4"], ids=["unmarked", "xray", "rejected"])
def test_more_or_fewer_marks(snap: Callable[..., bool], keys: str) -> None:
    assert snap(SECOND if keys == "f3" else WHOLE, keys)


def test_a_finished_reply_with_its_numbers(snap: Callable[..., bool]) -> None:
    assert snap(WHOLE)


def test_thinking_while_it_streams(snap: Callable[..., bool]) -> None:
    assert snap(THINKING)


@pytest.mark.parametrize("keys", ["", "ctrl+t"], ids=["folded", "unfolded"])
def test_thinking_above_its_answer(snap: Callable[..., bool], keys: str) -> None:
    assert snap(ANSWERED, keys)


def test_a_chosen_turn(snap: Callable[..., bool]) -> None:
    assert snap(ANSWERED, "f9")


def test_the_meter_on_a_small_screen(snap: Callable[..., bool]) -> None:
    assert snap(SECOND, width=60, height=16)


def test_every_number_of_the_conversation(snap: Callable[..., bool]) -> None:
    assert snap(WHOLE, "/ s t a t s enter", height=60)


def test_paths_and_a_folded_paste(
    snap: Callable[..., bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "inside").mkdir(parents=True)
    for number, name in enumerate(("inventory.py", "invoice.md", "in two words.txt")):
        (work / name).write_text("x" * 900 * number)
    monkeypatch.chdir(work)

    async def paste(desk: Desk) -> None:
        desk.prompt.post_message(events.Paste("line\n" * 214))
        await desk.until(lambda: desk.prompt.text)
        await desk.pilot.press(*" and @in")
        await desk.until(lambda: "› " in desk.screen_text and "in two words" in desk.screen_text)

    assert snap(WHOLE, "down", act=paste)


def test_the_themes_to_choose_from(snap: Callable[..., bool]) -> None:
    assert snap(WHOLE, "/ t h e m e enter down down")


def test_the_help_for_the_prompt(snap: Callable[..., bool]) -> None:
    assert snap(WHOLE, "f1", height=40)


def test_the_palette_with_a_search(snap: Callable[..., bool]) -> None:
    assert snap(WHOLE, "ctrl+p f i l e")
