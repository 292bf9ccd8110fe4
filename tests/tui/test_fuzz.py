"""Thousands of random keys, pastes, sizes and clicks: no exception, no hang, nothing lost."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from textual import events

from localspec.backends.interface import ReplyRequest
from localspec.chat.events import Event, Message
from localspec.chat.history import History
from localspec.tui.app import ChatApp
from localspec.tui.commands import COMMANDS
from localspec.tui.talk import Phase
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.contestants import compared, measuring
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

NUM_KEYS = int(os.environ.get("LOCALSPEC_FUZZ_KEYS", "120"))
SEEDS = range(int(os.environ.get("LOCALSPEC_FUZZ_SEEDS", "2")))
HOSTILE = [
    "\x1b[31m\x1b]0;title\x07[bold]red[/bold]\u202e\x9b2J[/]",
    "[pasted 9 lines, 1 kB]" * 9,
    '@/etc/passwd @\x00 @~nobody/x @"unclosed',
    "line\n" * 2_000,
    "在庫🎉\u0301\u200d" * 300,
    "/" + "x" * 5_000,
    "```" * 50 + "\n<think>\n|-|-|\n",
    "\ud800 \x00\r\n\t",
]
KEYS = [
    *("f1", "f2", "f3", "f4", "f5", "f8", "f9", "escape", "enter", "tab", "shift+tab", "space"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "backspace", "delete"),
    *("shift+left", *(f"ctrl+{key}" for key in "adgjknoprstuwxz"), "ctrl+end", "ctrl+up"),
    *"abcdefq/@19[.",
]


class Endless(ScriptedBackend):
    """Answers whatever is asked, at times only after a while, or never."""

    calm = False

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        texts = [self._rng.choice(["word ", "\n\n", *HOSTILE]) for _ in range(9)]
        bursts = [burst(text[:2_000], " and") for text in texts]
        whole: list[Event | str] = list(reply(*bursts))
        if not self.calm and self._rng.random() < 0.5:
            whole.insert(self._rng.randrange(len(whole)), HOLD)
        self.scripts = [whole]
        yield from super().chat(messages, request)

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        yield measuring("off", 1, 4)
        yield from self._play([HOLD] if self._rng.random() < 0.5 else [])
        yield compared()


async def press(desk: Desk, rng: random.Random, backend: ScriptedBackend) -> None:
    kind = rng.random()
    if kind < 0.70:
        await desk.pilot.press(rng.choice(KEYS))
    elif kind < 0.78:
        desk.app.post_message(events.Paste(rng.choice(HOSTILE)))
    elif kind < 0.86:
        await desk.pilot.resize_terminal(rng.randint(1, 300), rng.randint(1, 100))
    elif kind < 0.92:
        names = [name for name in COMMANDS if name not in ("quit", "save", "export")]
        if desk.app.screen is desk.chat:
            await desk.send(f"/{rng.choice(names)} {rng.choice(['', 'off', 'x', '3'])}".strip())
    elif kind < 0.97:
        if desk.app.screen is desk.chat:
            await desk.send(f"question {rng.random()}")
    else:
        backend.go_on()


def asked(desk: Desk) -> list[str]:
    if desk.chat._talk.phase is not Phase.READY:
        return []
    return [node.content for node in desk.chat._dialogue.path]


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_keys_break_nothing(
    open_desk: OpenDesk,
    history: History,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    backend = Endless(rng)

    async def stay(app: ChatApp) -> None:
        """The palette offers to quit, too."""

    monkeypatch.setattr(ChatApp, "action_quit", stay)
    async with open_desk(backend) as desk:
        for _ in range(NUM_KEYS):
            async with asyncio.timeout(30):
                await press(desk, rng, backend)
            assert desk.app._exception is None
            assert desk.app.is_running
        async with asyncio.timeout(60):
            while desk.app.screen is not desk.chat:
                desk.app.pop_screen()
                await desk.pilot.pause()
            await desk.pilot.resize_terminal(100, 30)
            while desk.chat._talk.phase is not Phase.READY:
                backend.go_on()
                await desk.pilot.press("f5" if desk.chat._talk.phase is Phase.DOWN else "escape")
            backend.calm = True
            await desk.send("the last question")
            await desk.until(
                lambda: (
                    [node.content for node in desk.chat._dialogue.path][-2:-1]
                    == ["the last question"]
                )
            )
    saved = [each.title for each in history.conversations()]
    assert saved
