"""What was sent, from one session to the next."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from localspec import paths
from localspec.tui import sent_file
from localspec.tui.folds import Written
from localspec.tui.sent_file import SentFile
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply


async def test_the_arrows_go_on_where_the_last_session_ended(open_desk: OpenDesk) -> None:
    async with open_desk(ScriptedBackend(reply(burst("1")))) as desk:
        await desk.ask("in the first session")
        await desk.send("/k 4")
        await desk.until(lambda: paths.sent_file().read_text().count("\n") == 2)
    async with open_desk(ScriptedBackend(reply(burst("2")))) as desk:
        await desk.phase(Phase.READY)
        await desk.until(lambda: desk.prompt.sent._texts)
        await desk.pilot.press("up")
        assert desk.prompt.text == "/k 4"
        await desk.pilot.press("up")
        assert desk.prompt.text == "in the first session"
        await desk.pilot.press("up", "down", "down")
        assert desk.prompt.text == ""


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "sent.jsonl"
    SentFile(file).append(Written("a secret"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_folds_are_kept_with_the_whole_text(tmp_path: Path) -> None:
    file = SentFile(tmp_path / "sent.jsonl")
    written = Written("see " + "x" * 2000, ((4, 2004),))
    file.append(written)
    file.append(Written("zwei\nZeilen ü"))
    assert file.read() == [written, Written("zwei\nZeilen ü")]


ROOT = Path(__file__).parents[2]
_APPENDS = """
import sys, pathlib
from localspec.tui.folds import Written
from localspec.tui.sent_file import SentFile
for number in range(20):
    SentFile(pathlib.Path(sys.argv[1])).append(Written(f"{sys.argv[2]} {number} " + "x" * 300))
"""


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """The one that wrote the file last had overwritten what the other one sent."""
    path = tmp_path / "sent.jsonl"
    commands = [[sys.executable, "-c", _APPENDS, str(path), name] for name in "ab"]
    for process in [subprocess.Popen(command, cwd=ROOT) for command in commands]:
        assert process.wait(60) == 0
    texts = [written.text.split(" x")[0] for written in SentFile(path).read()]
    for name in "ab":
        own = [f"{name} {number}" for number in range(20)]
        assert [text for text in texts if text[0] == name] == own


def test_it_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_file, "MOST_BYTES", 2000)
    monkeypatch.setattr(sent_file, "MOST_TEXTS", 30)
    path = tmp_path / "sent.jsonl"
    file = SentFile(path)
    for number in range(200):
        file.append(Written(f"text {number}"))
        assert path.stat().st_size <= 4100
    assert file.read()[-1].text == "text 199"
    assert len(file.read()) <= 30
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    file.append(Written("y" * 300_000))
    assert file.read()[-1].text == "text 199"


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[]", b"1", b'{"text": 3}', b'{"no": 1}', b'{"text": "a", "folds": [[0, 9]]}',
     b'{"text": "abc", "folds": [[2, 1]]}', b'{"text": "abc", "folds": [[-1, 1]]}',
     b'{"text": "abc", "folds": 7}', b"[" * 5000, b'{"text": "torn'],
)  # fmt: skip
def test_a_line_of_somebody_else_is_passed_over(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "sent.jsonl"
    path.write_bytes(b'{"text": "before"}\n' + line)
    SentFile(path).append(Written("after"))
    assert [written.text for written in SentFile(path).read()] == ["before", "after"]


def test_terminal_codes_in_the_file_are_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "sent.jsonl"
    path.write_text(json.dumps({"text": "a\x1b[31mb", "folds": [[1, 3]]}) + "\n")
    assert SentFile(path).read() == [Written("a[31mb")]


async def test_a_file_that_cannot_be_written_stops_nothing(open_desk: OpenDesk) -> None:
    paths.sent_file().mkdir(parents=True)
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend) as desk:
        await desk.ask("hello")
        await desk.until(lambda: backend.asked)
        await desk.pilot.press("up")
        assert desk.prompt.text == "hello"
