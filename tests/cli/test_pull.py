"""`localspec pull`: what it says, and how it ends."""

import json
import os
import select
import sys
import time

import pytest

from localspec.health import native
from localspec.models import store
from tests.cli.invoke import invoke
from tests.models.scene import Scene
from tests.models.test_pull_process import PROJECT
from tests.models.tiny_catalog import REPO, TARGET


def test_the_plan_comes_before_the_first_byte(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "pull", "tiny")
    assert (done.code, done.out) == (0, "")
    lines = done.err.splitlines()
    plan = next(number for number, line in enumerate(lines) if "licence: apache-2.0" in line)
    assert TARGET in lines[plan + 1]
    assert str(scene.hub_file(REPO, TARGET)) in lines[plan + 2]
    assert "free on that disk" in lines[plan + 5]
    assert lines[-1] == "tiny is ready."
    assert "\x1b" not in done.err


def test_the_verdict_comes_before_the_first_byte(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pull said what it fetches, and not what kind of model that is, nor whether it fits."""
    done = invoke(capsys, "pull", "tiny")
    lines = done.err.splitlines()
    first = next(number for number, line in enumerate(lines) if "target llama, " in line)
    assert "2 layers, trained on 512 tokens of context" in lines[first]
    assert "BPE tokenizer (qwen2) of 320 tokens, with a chat template" in lines[first + 1]
    assert lines[first + 2].startswith("  draft  llama, ")
    assert lines[first + 4] == "  pair   the tokenizers match; the catalog pairs them"
    assert (
        "free in memory, with a context of 512 tokens. All layers go on the CPU" in lines[first + 5]
    )
    assert all("downloading" not in line for line in lines[: first + 6])


def test_a_pull_needs_no_llama_cpp(
    scene: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that ends its process took the pull with it."""

    def fail() -> None:
        raise native.NativeProbeFailed("it ends its process (signal 6)")

    monkeypatch.setattr(native, "ask", fail)
    done = invoke(capsys, "pull", "tiny")
    assert done.code == 0
    assert "  memory " not in done.err


def test_a_second_pull_fetches_nothing(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    invoke(capsys, "pull", "tiny")
    scene.stub.log.clear()
    done = invoke(capsys, "pull", "tiny")
    assert "is here already" in done.err
    assert scene.stub.log == []


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["tinny"], 2, "Nearest: tiny"),
        (["tiny", "--quant", "Q2_K"], 2, "Choose from: Q8_0"),
        (["tiny", "--source", "disk"], 2, "disk"),
        (["tiny", "--source", "wheels"], 2, "No wheels"),
        ([], 2, "Missing argument"),
    ],
)
def test_refusals(
    scene: Scene,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    code: int,
    words: str,
) -> None:
    done = invoke(capsys, "pull", *args)
    assert done.code == code
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_failure_is_one_line_after_the_plan(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.stub.faults[scene.target_path] = ["wrong", "wrong"]
    done = invoke(capsys, "pull", "tiny", "--quiet")
    assert done.code == 1
    assert done.err.startswith(f"localspec: {TARGET} arrived damaged twice")
    assert done.err.count("\n") == 1


def test_your_own_pair_is_not_pulled(tiny_pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "pull", tiny_pair)
    assert done.code == 2
    assert "your own files" in done.err


def test_without_a_draft(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "pull", "tiny", "--no-draft").code == 0
    assert store.resolve("tiny").draft is None


def test_what_a_server_says_cannot_move_the_cursor(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text from a catalog or a server is data: no markup, no escape codes."""
    scene.pairs[0]["license"] = "[red]\x1b[2Jfree[/red]"
    scene.write()
    done = invoke(capsys, "pull", "tiny")
    assert "\x1b" not in done.err
    assert "[red]" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal_two_lines_live(scene: Scene, no_color: bool) -> None:
    """NO_COLOR gets plain lines: no escape codes at all."""
    scene.stub.faults[scene.target_path] = ["cut:5000"]
    code, words = _on_terminal(scene, {"NO_COLOR": "1"} if no_color else {})
    assert code == 0
    assert ("\x1b" in words) is not no_color
    assert "tiny is ready." in words
    if not no_color:
        last = words.rpartition("target")[2]
        assert "present" in last
        assert "draft" in last


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_leaves_the_terminal_as_it_was(scene: Scene) -> None:
    """B25: a pull that was quit left the cursor hidden."""
    scene.stub.faults[scene.target_path] = ["stall:5000"] * 9
    code, words = _on_terminal(scene, {}, quit_at="5.0 kB of ")
    assert code == 130
    assert "goes on where this left off" in words
    assert words.rindex("\x1b[?25h") > words.rindex("\x1b[?25l")


def _on_terminal(scene: Scene, extra: dict[str, str], quit_at: str = "") -> tuple[int, str]:
    """The exit code, and what was written; Ctrl+C is pressed when `quit_at` is shown."""
    # Absent on Windows.
    import pty

    environment = os.environ | {
        "HF_ENDPOINT": scene.stub.url,
        "PYTHONPATH": str(PROJECT),
        "TERM": "xterm",
        "COLUMNS": "100",
    }
    catalog = str(scene.home / "catalog")
    command = [sys.executable, "-m", "tests.models.pull_process", catalog, "pull", "tiny"]
    process, terminal = pty.fork()
    if process == 0:
        os.execve(sys.executable, command, environment | extra)
    written, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:
                break
            if not chunk:
                break
            written += chunk
            if quit_at and quit_at.encode() in written:
                os.write(terminal, b"\x03")
                quit_at = ""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), written.decode()


def test_json_names_what_happens(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "pull", "tiny", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    plan = next(event for event in events if event["event"] == "plan")
    assert [file["role"] for file in plan["files"]] == ["target", "draft"]
    assert {"file", "role", "done", "total", "state"} <= set(events[-2])
    assert events[-1]["event"] == "done"
