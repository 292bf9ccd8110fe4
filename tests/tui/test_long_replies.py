"""A long reply costs at its end what it costs at its beginning (B05)."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from localspec.engine.interface import Prefill
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

PARAGRAPH = "Some *words* of a long reply, and `code` among them.\n\n"
CODE = "```python\n" + "".join(f"x_{n} = {n}\n" for n in range(40)) + "```\n\n"
TABLE = "| a | b |\n|---|---|\n" + "".join(f"| {n} | {n} |\n" for n in range(20)) + "\n"
ROUNDS = 24


async def test_what_is_parsed_at_once_stays_small(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the reply was parsed again for each token, so that a long one froze the screen."""
    parsed: list[int] = []
    parse = MarkdownIt.parse

    def counted(self: MarkdownIt, src: str, *rest: object) -> object:
        parsed.append(len(src))
        return parse(self, src, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(MarkdownIt, "parse", counted)
    text = (PARAGRAPH * 6 + CODE + TABLE) * ROUNDS
    pieces = [text[place : place + 80] for place in range(0, len(text), 80)]
    bursts = [burst(*pieces[place : place + 8]) for place in range(0, len(pieces), 8)]
    script = [part for each in bursts[:-1] for part in (each, HOLD)]
    backend = ScriptedBackend([Prefill(9, 9), *script, *reply(*bursts)[-2:]])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("Go on for long.")
        for _ in bursts[:-1]:
            await desk.pilot.pause(0.06)
            # Time enough that the text becomes Markdown.
            desk.clock.now += 0.5
            await desk.pilot.pause(0.06)
            backend.go_on()
        await desk.phase(Phase.READY)
        assert len(parsed) > len(bursts) / 2
        assert max(parsed) < 5_000
        # The page that grows is parsed from its last block on.
        assert sum(parsed) < 8 * len(text)
