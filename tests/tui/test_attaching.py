"""Files that a message names go with it, and those that can't keep it back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from localspec.chat.events import Ready
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

SMALL = Ready("pair", "t", "", "CPU", 100, 0.1)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "inventory.py").write_text("class Inventory:\n    count = 0\n")
    (work / "my notes.md").write_text("three short words\n")
    (work / "binary.dat").write_bytes(b"\x00\xff")
    (work / "empty.txt").touch()
    (work / "long.txt").write_text("word " * 300)
    monkeypatch.chdir(work)
    return work


async def test_the_files_are_code_blocks_and_the_message_has_their_names(
    open_desk: OpenDesk,
) -> None:
    backend = ScriptedBackend(reply(burst("ok")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send('Compare @inventory.py, and @"my notes.md"; a@b.org, @property.')
        await desk.until(lambda: backend.asked)
        assert backend.asked[0][0][-1].content == (
            "Compare inventory.py, and my notes.md; a@b.org, @property.\n\n"
            "inventory.py:\n\n```py\nclass Inventory:\n    count = 0\n```\n\n"
            "my notes.md:\n\n```md\nthree short words\n```"
        )
        assert desk.hint == "Sent with inventory.py · 5 tokens, my notes.md · 3 tokens"
        assert desk.prompt.text == ""
        await desk.pilot.press("up")
        assert "@inventory.py, and" in desk.prompt.text


async def test_what_will_be_attached_is_shown_while_it_is_written(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press(*"see @inventory.py")
        await desk.until(lambda: "attached inventory.py · 5 tokens" in desk.screen_text)
        await desk.pilot.press("backspace")
        await desk.until(lambda: "attached" not in desk.screen_text)
        await desk.pilot.press("ctrl+u")
        await desk.send("/file inventory.py")
        await desk.until(lambda: "attached inventory.py · 5 tokens" in desk.screen_text)
        await desk.send("/file off")
        await desk.until(lambda: "attached inventory.py" not in desk.screen_text)


async def test_a_count_before_the_model_is_there_is_an_estimate(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(loading=[HOLD, SMALL])
    async with open_desk(backend) as desk:
        await desk.pilot.press(*"@inventory.py")
        await desk.until(lambda: "attached inventory.py · ~8 tokens" in desk.screen_text)
        backend.go_on()
        await desk.until(lambda: "attached inventory.py · 5 tokens" in desk.screen_text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("@inventry.py", "There is no inventry.py. In backticks the name stays text."),
        (
            "@binary.dat @inventory.py",
            "binary.dat is not UTF-8 text. In backticks the name stays text.",
        ),
        ("@empty.txt", "empty.txt is empty. In backticks the name stays text."),
        ("@src/", "src/ is a directory. Give the name of a file."),
        ('@"no such"', "There is no no such. In backticks the name stays text."),
        (
            "@long.txt",
            "The message is larger than the context: 304 tokens or more, attached long.txt · 300"
            " tokens. F8 sets another context; nothing was sent.",
        ),
    ],
)
async def test_a_file_that_cannot_go_keeps_the_message_back(
    open_desk: OpenDesk, text: str, fault: str
) -> None:
    backend = ScriptedBackend(reply(burst("ok")), loading=[SMALL])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send(text)
        await desk.until(lambda: desk.hint)
        assert desk.hint == fault
        assert desk.prompt.text == text
        assert not backend.asked
        assert not desk.chat._dialogue.path


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="Root may read everything"
)
async def test_a_file_that_may_not_be_read_is_said(open_desk: OpenDesk, here: Path) -> None:
    (here / "inventory.py").chmod(0)
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("@inventory.py")
        await desk.until(lambda: "can't be read" in desk.hint)


async def test_a_pipe_is_not_waited_for(open_desk: OpenDesk, here: Path) -> None:
    """Reading it would never end."""
    os.mkfifo(here / "pipe.txt")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send("@pipe.txt")
        await desk.until(lambda: "pipe.txt is not a file." in desk.hint)


async def test_a_message_that_is_too_long_is_kept_back(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(loading=[SMALL])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("word " * 101)
        await desk.until(lambda: desk.hint.startswith("The message is larger than the context"))
        assert not backend.asked
        assert desk.prompt.text == "word " * 101


async def test_a_second_enter_sends_nothing(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend([burst("half"), HOLD])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        desk.prompt.load_text("@inventory.py")
        desk.prompt.action_send()
        desk.prompt.action_send()
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.pilot.pause(0.1)
        assert desk.hint.startswith("Sent with")
        assert desk.prompt.text == ""


async def test_stopped_before_the_first_token_it_is_what_was_written(open_desk: OpenDesk) -> None:
    """The prompt had the whole file in it, and its name without the @."""
    async with open_desk(ScriptedBackend([HOLD])) as desk:
        await desk.phase(Phase.READY)
        await desk.send("see @inventory.py")
        await desk.phase(Phase.REPLYING)
        await desk.pilot.press("escape")
        await desk.phase(Phase.READY)
        assert desk.prompt.text == "see @inventory.py"


async def test_an_edited_message_has_its_file_once(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("one")), reply(burst("two")))
    async with open_desk(backend) as desk:
        await desk.ask("see @inventory.py")
        await desk.send("/edit")
        await desk.pilot.press("end", "enter")
        await desk.until(lambda: len(backend.asked) == 2)
        assert backend.asked[1][0][-1].content.count("class Inventory") == 1


async def test_a_message_that_waits_for_the_model_is_checked_when_it_goes(
    open_desk: OpenDesk, here: Path
) -> None:
    backend = ScriptedBackend(loading=[HOLD, SMALL])
    async with open_desk(backend) as desk:
        await desk.send("see @inventory.py")
        await desk.until(lambda: "Will be sent" in desk.hint)
        (here / "inventory.py").unlink()
        backend.go_on()
        await desk.until(lambda: "There is no inventory.py." in desk.hint)
        assert desk.prompt.text == "see @inventory.py"
        assert not backend.asked
