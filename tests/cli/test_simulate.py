"""`localspec bench --record`, and `localspec simulate` on what it keeps."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from localspec.bench.cost_tables import find, shipped, table_of
from localspec.bench.trace_file import read_traces, write_traces
from localspec.engine.costs import CostTable
from localspec.errors import UsageError
from tests.bench.test_simulate import traces_of
from tests.bench.test_trace_file import FILE
from tests.bench.test_tune import told
from tests.cli.invoke import invoke
from tests.conftest import TinyFiles, register

QUICK = ["--ctx", "512", "--threads", "1", "--tokens", "8"]
ARMS = ["--arms", "off,draft:2,suffix,auto"]


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "own.jsonl"
    rows = [("small", "one"), ("[red]big\x1b[2J", "two")]
    path.write_text("\n".join(json.dumps({"category": k, "prompt": p}) for k, p in rows))
    return str(path)


@pytest.fixture
def traces(tmp_path: Path) -> str:
    """Recorded on fakes, with costs of a GPU."""
    path = tmp_path / "traces.jsonl.gz"
    costs = shipped()["gpu"].report()
    write_traces(path, type(FILE)("t", "d", "CPU", costs, traces_of(0.0)))
    return str(path)


def test_recorded_replies_are_replayed(
    tiny_pair: str, suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "traces.jsonl.gz"
    args = ["--suite", suite, "--record", str(path), "--temp", "0.7", *QUICK]
    done = invoke(capsys, "bench", tiny_pair, *args)
    assert done.code == 0
    assert done.out.startswith("2 replies, ")
    lines = done.err.splitlines()
    assert [line.split(" · ")[0] for line in lines[-2:]] == ["prompt 1/2", "prompt 2/2"]
    assert "the draft agreed on " in lines[-1]
    assert "\x1b" not in done.err
    kept = read_traces(path)
    assert [trace.temperature for trace in kept.traces] == [0.7, 0.7]
    assert CostTable.from_report(kept.costs, 33).has_draft
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]

    done = invoke(capsys, "simulate", str(path), *ARMS)
    assert done.code == 0
    assert done.out.startswith("2 sampled replies, ")
    assert "target.gguf + draft.gguf, CPU" in done.out
    assert "\x1b" not in done.out


def test_a_recording_keeps_what_is_whole_at_ctrl_c(tiny_pair: str, tmp_path: Path) -> None:
    suite = tmp_path / "long.jsonl"
    suite.write_text('{"prompt": "again"}\n' * 100_000)
    path = tmp_path / "traces.jsonl"
    command = [sys.executable, "-m", "localspec", "bench", tiny_pair, "--suite", str(suite)]
    with subprocess.Popen(
        [*command, "--record", str(path), *QUICK],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        while not process.stderr.readline().startswith("prompt 3/"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("localspec: interrupted\n")
    assert "Traceback" not in errors
    kept = read_traces(path)
    assert len(kept.traces) >= 3
    assert out.startswith(f"{len(kept.traces)} replies, ")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--arms", "off"], "--arms has no place"),
        (["--json", "bench.json"], "--json has no place"),
        (["--repeats", "2"], "--repeats has no place"),
        (["--json-schema", "{}"], "--json-schema has no place"),
        (["--suite", "absent.jsonl"], "can't be read"),
    ],
)
def test_what_recording_cannot_use_is_refused(
    tiny_pair: str, args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "bench", tiny_pair, "--record", "traces.jsonl", *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_recording_needs_a_place_and_a_draft(
    tiny_files: TinyFiles, suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register("alone", target=tiny_files.target)
    done = invoke(capsys, "bench", "alone", "--record", "/absent/traces.jsonl")
    assert done.code == 2
    assert "can't be written" in done.err
    path = tmp_path / "traces.jsonl"
    done = invoke(capsys, "bench", "alone", "--suite", suite, "--record", str(path), *QUICK)
    assert done.code == 2
    assert "Nothing to record: none belongs to this pair." in done.err
    assert not path.exists()


def test_a_simulation_says_what_auto_is_worth(
    traces: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "simulate", traces, *ARMS)
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[3] == ["kind", "off", "draft:2", "suffix", "auto", "clairvoyant"]
    assert rows[4][:2] == ["a", "1.00x"]
    assert "best fixed arm: draft:2" in done.out
    assert "best fixed arm of each prompt, in hindsight: " in done.out
    assert "auto: " in done.out
    assert "at most" in done.out


def test_json_has_every_prompt(traces: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "simulate", traces, *ARMS, "--costs", "1=30,8=33,draft=2", "--json")
    report = json.loads(done.out)
    assert report["costs"] == "1=30,8=33,draft=2"
    assert (report["num_replies"], report["num_tokens"]) == (4, 320)
    assert len(report["prompts"]) == 4
    for prompt in report["prompts"]:
        assert prompt["off"] == 1.0
        assert prompt["draft:2"] <= prompt["clairvoyant"]
    assert set(report["overall"]) == {"off", "draft:2", "suffix", "auto", "clairvoyant"}
    assert report["best_fixed"] == "draft:2"


def test_several_files_are_one_forecast(traces: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "simulate", traces, traces, *ARMS, "--json")
    assert json.loads(done.out)["num_replies"] == 8


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--arms", "fast"], "is not an arm"),
        (["--costs", "no-such-model"], "Use recorded, f16-2core, q4_k_m-2core, gpu, a JSON file"),
        (["--costs", "1=30", "--arms", "draft:2"], "these costs have no draft"),
        (["--tune", "/absent/prior.json"], "can't be written"),
        (["--tune", "."], "is a directory"),
    ],
)
def test_what_cannot_be_simulated_is_one_line(
    traces: str, args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "simulate", traces, *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_broken_traces_and_costs_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\xff\xfe")
    done = invoke(capsys, "simulate", str(path))
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    write_traces(path, type(FILE)("t", "d", "CPU", {"target": {"0": {"1": -1}}}, FILE.traces))
    done = invoke(capsys, "simulate", str(path))
    assert done.code == 2
    assert "Give some with --costs" in done.err


def test_costs_are_found_in_every_form(tmp_path: Path) -> None:
    assert set(shipped()) == {"f16-2core", "q4_k_m-2core", "gpu"}
    assert find("gpu").target(0)[8] == 1.1
    entered = find("1=30, 4=32,8=33,draft=2,draft:2=2.1")
    assert entered.target(0)[4] == pytest.approx(0.032)
    assert entered.draft(0)[1:3].tolist() == pytest.approx([0.002, 0.0021])
    path = tmp_path / "costs.json"
    for content in (entered.report(), {"costs": entered.report(), "model": "x"}):
        path.write_text(json.dumps(content))
        assert find(str(path)).report() == entered.report()
    assert table_of({"target": {"0": {"1": 1.0}}, "draft": {}}).has_draft is False


@pytest.mark.parametrize(
    "text",
    ["=", "1=", "1=x", "1=0", "1=-3", "1=nan", "1=inf", "1=1e99", "4=32", "0=3", "34=3", "1=3,1=4",
     "1=3,draft", "1=3,draft:x=4", "1=3,other:1=4", "1=3,", "1=3,draft=0", "draft=2"],
)  # fmt: skip
def test_entered_costs_are_checked(text: str) -> None:
    with pytest.raises(UsageError, match=r"look like 1=30|above 0"):
        find(text)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"costs": 3}', b'{"target": {"0": {"1": "x"}}}', b"\xff"]
)
def test_a_file_that_is_no_table_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "costs.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is no table of costs"):
        find(str(path))


def test_a_model_loaded_here_gives_its_costs(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="localspec doctor --costs tiny"):
        find(tiny_pair)
    done = invoke(capsys, "doctor", "--costs", tiny_pair, "--threads", "1", "--json")
    known = table_of(json.loads(done.out))
    found = find(tiny_pair)
    assert found.target(0).tolist() == pytest.approx(known.target(0).tolist())
    assert found.draft(0).tolist() == pytest.approx(known.draft(0).tolist())


def test_the_tuner_writes_what_the_engine_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from localspec.bench import tuning
    from localspec.engine import prior

    monkeypatch.setattr(tuning, "shipped", lambda: {"gpu": shipped()["gpu"]})
    paths = []
    for name, temperature in (("greedy", 0.0), ("sampled", 1.0)):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        write_traces(Path(paths[-1]), type(FILE)("t", "d", "CPU", {}, told(temperature)))
    out = tmp_path / "prior.json"
    done = invoke(capsys, "simulate", *paths, "--tune", str(out))
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(line.startswith("decay ") and line.endswith("x") for line in lines[:-2])
    assert lines[-2].startswith("best: decay ")
    assert json.loads(out.read_text()).keys() == prior.prior().keys()
    done = invoke(capsys, "simulate", paths[0], "--tune", str(out))
    assert done.code == 2
    assert "needs greedy and sampled traces" in done.err


def test_without_shipped_traces_the_reader_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from localspec.bench import trace_file

    monkeypatch.setattr(trace_file, "files", lambda package: tmp_path)
    done = invoke(capsys, "simulate")
    assert done.code == 2
    assert "This installation has no greedy traces" in done.err
    assert os.linesep not in done.err.rstrip()
