"""Traces on disk: written whole, read with suspicion."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from localspec.backends.loading import LoadedPair
from localspec.bench import trace_file
from localspec.bench.recording import record_suite
from localspec.bench.recording import trace_file as file_of
from localspec.bench.suites import Prompt
from localspec.bench.trace import Trace
from localspec.bench.trace_file import TraceFile, read_traces, shipped, write_traces
from localspec.engine.costs import CostTable
from localspec.engine.sampling import SamplingParams
from localspec.errors import ContextTooSmall, LocalspecError, UsageError

TRACE = Trace("a", 0.0, [1, 2], [3, 4], [3, 5], [0.5, 1.0], [1.0, 0.0], [1.0, 0.0], [[3, 4]])
FILE = TraceFile("t", "d", "CPU", CostTable({1: 1.0}, {1: 0.1}, 33).report(), [TRACE, TRACE])


@pytest.mark.parametrize("name", ["traces.jsonl", "traces.jsonl.gz"])
def test_a_file_survives_and_equal_traces_are_equal_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("from before")
    write_traces(path, FILE)
    assert read_traces(path) == FILE
    first = path.read_bytes()
    write_traces(path, FILE)
    assert path.read_bytes() == first
    assert (first[:2] == b"\x1f\x8b") is name.endswith(".gz")
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_file_without_predicted_texts_is_read(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    row = {name: value for name, value in asdict(TRACE).items() if name != "predicted"}
    write_traces(path, FILE)
    path.write_text(path.read_text().splitlines()[0] + "\n" + json.dumps(row) + "\n\n")
    assert read_traces(path).traces[0].predicted == []


def broken_rows() -> Iterator[tuple[str, object]]:
    for name in ("prompt", "reply", "guesses", "probs", "certain", "drawn"):
        yield name, []
        yield name, None
        yield name, {"1": 1}
        yield name, ["1", "2"]
    for name in ("prompt", "reply", "guesses"):
        for token in (-1, 2**31, 10**30, 1.5, True, None, [1]):
            yield name, [3, token]
    for name in ("probs", "certain", "drawn"):
        for value in (-0.1, 1.5, 1e999, float("nan"), "1", None):
            yield name, [0.5, value]
    for value in (-1.0, 1e9, float("nan"), None, "0"):
        yield "temperature", value
    yield "reply", [1]
    yield "drawn", [0.5]
    yield "category", 7
    yield "predicted", [[-1]]
    yield "predicted", [3]
    yield "predicted", None
    yield "unknown\x1b[2J\nfield", 1


@pytest.mark.parametrize(("name", "value"), broken_rows())
def test_a_broken_trace_is_refused_in_one_line(tmp_path: Path, name: str, value: object) -> None:
    """An id beyond 32 bits overflowed deep in the simulator."""
    path = tmp_path / "traces.jsonl"
    write_traces(path, FILE)
    header, first, _ = path.read_text().splitlines()
    path.write_text("\n".join([header, first, json.dumps(asdict(TRACE) | {name: value})]))
    with pytest.raises(UsageError, match="is not a trace file: line 3 ") as failure:
        read_traces(path)
    assert "\x1b" not in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        "[" * 100_000,
        '{"target": 1, "draft": "", "device": "", "costs": {}}',
        '{"target": "", "draft": "", "device": "", "costs": []}',
        '{"target": "", "draft": "", "device": "", "costs": {}, "traces": []}',
        '{"target": "", "draft": "", "device": "", "costs": ' + "9" * 5000 + "}",
    ],
)
def test_a_broken_header_is_refused(tmp_path: Path, header: str) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text(header + "\n" + json.dumps(asdict(TRACE)) + "\n")
    with pytest.raises(UsageError, match="is not a trace file"):
        read_traces(path)


def test_files_that_are_something_else_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "traces.jsonl.gz"
    write_traces(path, FILE)
    whole = path.read_bytes()
    damaged = whole[:30] + bytes([whole[30] ^ 0xFF]) + whole[31:]
    header_only = gzip.compress(gzip.decompress(whole).splitlines()[0])
    for data in (whole[:-20], whole[:5], b"", b"plain text", damaged, header_only):
        path.write_bytes(data)
        with pytest.raises(UsageError, match="is not a trace file"):
            read_traces(path)
    path.write_bytes(gzip.compress(b"\xff\xfe"))
    with pytest.raises(UsageError, match="not UTF-8"):
        read_traces(path)
    with pytest.raises(UsageError, match="No such file"):
        read_traces(tmp_path / "absent.jsonl")
    with pytest.raises(UsageError, match="directory"):
        read_traces(tmp_path)
    monkeypatch.setattr(trace_file, "_MOST_BYTES", 1000)
    path.write_bytes(gzip.compress(b" " * 100_000))
    with pytest.raises(UsageError, match="too large"):
        read_traces(path)


def test_an_absent_recording_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no other traces"):
        shipped("other")


BLOCK = "Change it:\n```\n" + "def f(value):\n    return value\n" * 4 + "```\n"


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_suite_is_recorded(pair: LoadedPair, temperature: float, tmp_path: Path) -> None:
    sampling = SamplingParams(temperature=temperature, max_tokens=12, seed=1)
    prompts = [Prompt("edit", BLOCK), Prompt("qa", "Why?")]
    events = list(record_suite(pair, prompts, sampling))
    traces = [event for event in events if isinstance(event, Trace)]
    assert [trace.category for trace in traces] == ["edit", "qa"]
    assert [len(trace.predicted) for trace in traces] == [1, 0]
    for trace in traces:
        assert 1 <= len(trace.reply) <= 12
        assert trace.temperature == temperature
    if temperature == 0.0:
        for trace in traces:
            agreed = [float(a == b) for a, b in zip(trace.guesses, trace.reply, strict=True)]
            assert trace.certain == trace.drawn == agreed
    path = tmp_path / "traces.jsonl.gz"
    write_traces(path, file_of(pair, traces))
    again = read_traces(path)
    assert again.traces == traces
    assert (again.target, again.draft, again.device) == ("target.gguf", "draft.gguf", "CPU")
    assert CostTable.from_report(again.costs, 33).has_draft


def test_greedy_traces_hold_the_replies_of_the_engine(pair: LoadedPair) -> None:
    sampling = SamplingParams(temperature=0.0, max_tokens=12)
    (trace,) = (
        e for e in record_suite(pair, [Prompt("a", "Hi")], sampling) if isinstance(e, Trace)
    )
    pair.clear()
    *_, end = pair.session.reply(trace.prompt, sampling, pair.speculation("off"))
    assert list(end.token_ids) == trace.reply


def test_a_prompt_without_room_is_refused(pair: LoadedPair) -> None:
    with pytest.raises(ContextTooSmall):
        list(record_suite(pair, [Prompt("a", "x" * 2000)], SamplingParams()))


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(LocalspecError, match="can't be written"):
        write_traces(tmp_path / "absent" / "traces.jsonl", FILE)
