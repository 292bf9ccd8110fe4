"""Code is copied as it was written, by key, command and click."""

from __future__ import annotations

import pytest

from localspec.tui.code_blocks import code_blocks
from localspec.tui.talk import Phase
from localspec.tui.widgets.code_head import CodeHead
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

FIRST = "def f():\n\treturn 1  \n\n\n"
SECOND = "- item\n"
TEXT = (
    f"<think>\n```\nnot this\n```\n</think>\nTwo:\n\n```python\n{FIRST}```\n\n1. In a list:\n\n"
    f"   ~~~yaml\n   {SECOND}   ~~~\n"
)
LONG = "```python\n" + "".join(f"x_{n} = {n}\n" for n in range(400)) + "```\n\n```\nlast\n```\n"


def heads(desk: Desk) -> list[str]:
    return [f"{head.language} copy {head.number}".strip() for head in desk.chat.query(CodeHead)]


def test_blocks_are_what_the_model_wrote() -> None:
    assert code_blocks(TEXT) == [FIRST, SECOND]
    assert code_blocks("```\nopen\n\n") == ["open\n\n"]
    assert code_blocks("```inline``` text\n\n    indented\n") == []
    assert code_blocks("```\nno\n```\n</think>\n```\nyes\n```\n", "<think>") == ["yes\n"]


async def test_each_block_has_a_head_and_a_number(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst(TEXT)))) as desk:
        await desk.ask("hi")
        await desk.until(lambda: heads(desk) == ["python copy 1", "yaml copy 2"])
        rows = [line for line in desk.screen_text.splitlines() if "copy" in line]
        assert [row.split() for row in rows] == [["python", "copy", "1"], ["yaml", "copy", "2"]]
        conversation = desk.app.conversation
    async with open_desk(ScriptedBackend(), conversation=conversation) as desk:
        await desk.until(lambda: heads(desk) == ["python copy 1", "yaml copy 2"])


async def test_a_chosen_turn_takes_numbers(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst(TEXT)))) as desk:
        await desk.ask("hi")
        await desk.pilot.press("f9", "1")
        await desk.until(lambda: "Code block 1 copied, 4 lines as written." in desk.hint)
        assert desk.app.clipboard == FIRST
        await desk.pilot.press("2")
        assert desk.app.clipboard == SECOND
        await desk.pilot.press("3")
        assert "code blocks 1 to 2" in desk.hint
        await desk.pilot.press("up", "1")
        assert "no code block" in desk.hint
        assert desk.app.clipboard == SECOND


@pytest.mark.parametrize(("order", "code"), [("1", FIRST), ("2", SECOND), ("code", SECOND)])
async def test_the_command_takes_a_number(open_desk: OpenDesk, order: str, code: str) -> None:
    async with open_desk(ScriptedBackend(reply(burst(TEXT)))) as desk:
        await desk.ask("hi")
        await desk.send(f"/copy {order}")
        assert desk.app.clipboard == code
        await desk.send("/copy x")
        assert "code blocks 1 to 2, no x" in desk.hint
        assert desk.app.clipboard == code


async def test_a_click_copies_also_while_the_reply_goes_on(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(
        reply(burst("```\nof before\n```\n")), [burst(TEXT, "\n\na\n\nb\n"), HOLD]
    )
    async with open_desk(backend, size=(100, 50)) as desk:
        await desk.ask("hi")
        await desk.send("more")
        await desk.until(lambda: len(heads(desk)) == 3)
        for number, code in enumerate(["of before\n", FIRST, SECOND]):
            await desk.pilot.click(desk.chat.query(CodeHead)[number])
            await desk.until(lambda code=code: desk.app.clipboard == code)  # type: ignore[misc]
        backend.stop()
        await desk.phase(Phase.READY)


async def test_a_block_over_several_pages_is_one(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst(LONG)))) as desk:
        await desk.ask("hi")
        await desk.until(lambda: heads(desk) == ["python copy 1", "copy 2"])
        await desk.send("/copy 1")
        assert desk.app.clipboard == LONG.split("```")[1].removeprefix("python\n")
