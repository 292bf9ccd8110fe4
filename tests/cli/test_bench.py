"""`localspec bench`: what it says while it runs, at its end, and in its file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from localspec.bench.suite_run import Text
from localspec.chat.comparison import Difference
from localspec.cli.bench_words import report_lines
from tests.bench.test_report import ARMS, measured
from tests.cli.invoke import invoke
from tests.conftest import TinyFiles, register

QUICK = ["--ctx", "512", "--threads", "1", "--tokens", "16"]


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "own.jsonl"
    rows = [("small", "one"), ("small", "two"), ("[red]big\x1b[2J", "three")]
    lines = [json.dumps({"category": kind, "prompt": prompt}) for kind, prompt in rows]
    path.write_text("\n".join(lines))
    return str(path)


def test_results_are_on_stdout_and_a_line_for_each_prompt_on_stderr(
    tiny_pair: str, suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(
        capsys, "bench", tiny_pair, "--suite", suite, "--arms", "off,draft:2,auto", *QUICK
    )
    assert done.code == 0
    title, *prompts = done.err.splitlines()
    assert title.startswith("tiny · ")
    assert [line.split(" · ")[0] for line in prompts] == [f"prompt {n}/3" for n in (1, 2, 3)]
    assert all(" · off " in line and "tok/s · draft:2 " in line for line in prompts)
    assert "about 0:00 left" in prompts[-1]
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0][:4] == ["kind", "arm", "speed", "spread"]
    assert done.out.count("the same") == 3
    assert "against the best fixed arm of each kind" in done.out
    assert "against the best single fixed arm" in done.out
    assert "draft 100%" in done.out
    assert "\x1b" not in done.out + done.err


def test_the_file_holds_every_run_the_summaries_and_the_machine(
    tiny_pair: str, suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bench.json"
    path.write_text("from before")
    arms = ["--arms", "off,draft:2,auto", "--repeats", "2", "--json", str(path)]
    assert invoke(capsys, "bench", tiny_pair, "--suite", suite, *arms, *QUICK).code == 0
    report = json.loads(path.read_text())
    assert len(report["runs"]) == 3 * 3 * 2
    assert {run["stats"]["num_tokens"] for run in report["runs"]} == {16}
    assert all(run["same_text"] and run["difference"] is None for run in report["runs"])
    assert [arm["arm"] for arm in report["arms"]] == ["off", "draft:2", "auto"]
    assert len(report["kinds"]) == 2 * 3
    assert len(report["auto"]["kinds"]) == 2
    machine = report["machine"]
    assert (machine["model"], machine["threads"], machine["n_ctx"]) == ("tiny", 1, 512)
    assert (machine["target"]["name"], machine["draft"]["name"]) == ("target.gguf", "draft.gguf")
    assert machine["device"] == "CPU"
    assert machine["llama_cpp"]
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_slower_is_called_slower() -> None:
    """A ratio below 1 was shown like any other (B02)."""
    lines = report_lines(measured(), ARMS)
    qa = lines.index(next(line for line in lines if line.startswith("qa ")))
    assert "1.00x slower" not in "".join(lines)
    assert [line.split()[1:3] for line in lines[qa + 1 : qa + 3]] == [
        ["0.90x", "slower"],
        ["0.50x", "slower"],
    ]
    assert any(line.startswith("draft:3") and "0.50x qa" in line for line in lines)
    assert any("0.96x slower against the best fixed arm" in line for line in lines)


def test_a_text_that_parts_is_shown_with_its_gap() -> None:
    """A greedy text that differed was called other, whatever the reason."""
    found = measured()
    near, fault = Difference(3, 1, 2, 0.02), Difference(3, 1, 2, 2.0)
    found.texts = [Text(1, "off", 0, None), Text(1, "auto", 0, None), Text(2, "auto", 0, near)]
    (line,) = [line for line in report_lines(found, ARMS) if "near-tie" in line]
    assert line.endswith("1 of 2 the same, 1 near-tie (logit gap 0.020)")
    found.texts.append(Text(3, "auto", 0, fault))
    lines = report_lines(found, ARMS)
    assert any(line.endswith("1 near-tie, 1 WRONG (logit gap 2.000)") for line in lines)
    assert "please report" in lines[-1]


def test_what_was_measured_survives_ctrl_c(tiny_pair: str, suite: str, tmp_path: Path) -> None:
    """An hour of measuring was lost by stopping its last minute."""
    path = tmp_path / "bench.json"
    command = [sys.executable, "-m", "localspec", "bench", tiny_pair, "--suite", suite]
    with subprocess.Popen(
        [*command, "--arms", "off,draft:2", "--repeats", "100000", "--json", str(path), *QUICK],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        process.stderr.readline()
        _wait_for_work(process.pid)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("localspec: interrupted\n")
    assert "Traceback" not in errors
    assert out.startswith("kind ")
    assert json.loads(path.read_text())["runs"]


def _wait_for_work(pid: int) -> None:
    """Until the process has used a second of a processor: several runs of the tiny pair."""
    process = psutil.Process(pid)
    begun = sum(process.cpu_times()[:2])
    while sum(process.cpu_times()[:2]) < begun + 1.0:
        time.sleep(0.05)


def test_a_pair_without_a_draft_gets_the_arms_that_it_has(
    tiny_files: TinyFiles, suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    register("alone", target=tiny_files.target)
    done = invoke(capsys, "bench", "alone", "--suite", suite, "--per-category", "1", *QUICK)
    assert done.code == 0
    assert "draft:3" not in done.out
    done = invoke(capsys, "bench", "alone", "--suite", suite, "--arms", "off,draft:2", *QUICK)
    assert done.code == 2
    assert "--spec draft: none belongs to this pair." in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--arms", "off,fast"], "is not an arm"),
        (["--arms", "off,off"], "twice"),
        (["--suite", "absent.jsonl"], "can't be read"),
        (["--json", "."], "is a directory"),
        (["--json", "/absent/file.json"], "can't be written"),
        (["--tokens", "0"], "--tokens"),
    ],
)
def test_refusals_come_before_the_model_loads(
    tiny_pair: str, args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "bench", tiny_pair, *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_device_as_the_file_is_written_to_not_replaced(
    tiny_pair: str, suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(
        capsys, "bench", tiny_pair, "--suite", suite, "--json", os.devnull, "--arms", "off", *QUICK
    )
    assert done.code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal_a_table_is_live(tiny_pair: str, suite: str, no_color: bool) -> None:
    """NO_COLOR gets plain lines: no escape codes at all."""
    words, out = _on_terminal(
        ["bench", tiny_pair, "--suite", suite, "--arms", "off,draft:2", "--repeats", "30", *QUICK],
        {"NO_COLOR": "1"} if no_color else {},
    )
    assert out.startswith("kind ")
    assert "\x1b" not in out
    assert ("\x1b" in words) is not no_color
    # What a file says is no markup and moves no cursor.
    assert "[red]big" in words
    assert "\x1b[2J" not in words
    if not no_color:
        assert "off tok/s" in words
        assert "/180 runs" in words
        assert "left" in words


def _on_terminal(args: list[str], extra: dict[str, str]) -> tuple[str, str]:
    """What went to the terminal, which is stderr, and what to stdout."""
    # Absent on Windows.
    import fcntl
    import pty
    import struct
    import termios
    import threading

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    written = bytearray()

    def read() -> None:
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:
                return
            if not chunk:
                return
            written.extend(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [sys.executable, "-m", "localspec", *args],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, text=True, timeout=60,
        env=os.environ | {"TERM": "xterm"} | extra,
    )  # fmt: skip
    os.close(theirs)
    reader.join(timeout=10)
    os.close(ours)
    assert done.returncode == 0
    return written.decode(), done.stdout
