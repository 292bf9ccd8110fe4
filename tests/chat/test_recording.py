"""A recording replays what was said."""

from pathlib import Path

import pytest

from localspec.backends.interface import Backend, ReplyRequest
from localspec.backends.replay import ReplayBackend
from localspec.chat.events import (
    Burst,
    Compared,
    Event,
    Failed,
    Finished,
    Loading,
    Measuring,
    Message,
    Piece,
    Ready,
    from_json,
    to_json,
)
from localspec.chat.recording import Recorder, read_recording
from localspec.engine.interface import Prefill, Round
from localspec.errors import LocalspecError

LOAD: list[Event] = [
    Loading("target", 0.5),
    Ready("pair", "target.gguf", "draft.gguf", "CPU", 4096, 1.5),
]
BURST = Burst(
    (Piece("a\u2028\x85", "draft"), Piece("b\n", "target")), Round((1, 2), 1, 1, ("draft",)), 0.1
)
REPLY: list[Event] = [Prefill(3, 3), BURST, Finished("a\u2028\x85b\n", (1, 2), "stop", 7, "draft")]
FAILED: list[Event] = [Failed("The prompt is empty.")]
HI = [Message("user", "Hi")]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    recorder = Recorder(path)
    for stream in (LOAD, REPLY, FAILED):
        assert list(recorder.record(stream)) == stream
    recorder.close()
    return path


def test_events_come_back_equal_and_in_turn(recording: Path) -> None:
    backend: Backend = ReplayBackend(recording, speed=0)
    assert list(backend.load()) == LOAD
    for expected in (REPLY, FAILED, REPLY):
        assert list(backend.chat(HI, ReplyRequest())) == expected
    backend.close()


def test_an_old_recording_still_loads() -> None:
    """Events have gained fields; recordings of before are still good."""
    path = Path(__file__).parents[1] / "tui" / "recordings" / "lru_cache.jsonl"
    bursts = [each.event for each in read_recording(path) if isinstance(each.event, Burst)]
    assert bursts
    assert all(burst.rejected == () for burst in bursts)


def test_a_recorded_comparison_comes_back_whole_and_is_cut_by_stop() -> None:
    path = Path(__file__).parents[1] / "tui" / "recordings" / "race.jsonl"
    backend = ReplayBackend(path, speed=0)
    assert isinstance(list(backend.load())[-1], Ready)
    events = list(backend.compare(HI, ReplyRequest(), 3))
    assert all(isinstance(event, Measuring) for event in events[:-1])
    assert isinstance(events[-1], Compared)
    assert from_json(to_json(events[-1])) == events[-1]
    again = backend.compare(HI, ReplyRequest(), 3)
    next(again)
    backend.stop()
    (end,) = again
    assert isinstance(end, Finished)
    assert end.finish_reason == "cancelled"


def test_a_recording_without_a_comparison_says_so(recording: Path) -> None:
    (failed,) = ReplayBackend(recording).compare(HI, ReplyRequest(), 3)
    assert failed == Failed("The recording has no comparison.")


def test_times_count_from_the_start_of_each_stream(recording: Path) -> None:
    recorded = read_recording(recording)
    assert [r.stream for r in recorded] == [0, 0, 1, 1, 1, 2]
    assert all(0 <= r.at < 1 for r in recorded)


def test_a_pause_is_cut_by_stop(recording: Path) -> None:
    lines = recording.read_text("utf-8").split("\n")
    lines[4] = lines[4].replace('"at": 0.', '"at": 3600.')
    recording.write_text("\n".join(lines), "utf-8")
    backend = ReplayBackend(recording)
    reply = backend.chat(HI, ReplyRequest(spec="draft"))
    assert [next(reply), next(reply)] == REPLY[:2]
    backend.stop()
    (end,) = reply
    assert isinstance(end, Finished)
    assert (end.text, end.token_ids, end.finish_reason) == ("a\u2028\x85b\n", (1, 2), "cancelled")
    assert (end.spec, end.stats["num_accepted_tokens"]) == ("draft", 1)


def test_a_recording_that_breaks_off_ends_the_reply(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "crash.jsonl")
    list(recorder.record(REPLY[:2]))
    backend = ReplayBackend(tmp_path / "crash.jsonl", speed=0)
    (ready,) = backend.load()
    assert isinstance(ready, Ready)
    assert isinstance(list(backend.chat(HI, ReplyRequest()))[-1], Finished)
    recorder.close()


@pytest.mark.parametrize(
    "line", ["{}", "[1]", "{", '{"stream": 0, "at": 0, "event": {"kind": "?"}}']
)
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "bad.jsonl").write_text(line)
    with pytest.raises(LocalspecError, match="Line 1 of"):
        ReplayBackend(tmp_path / "bad.jsonl")
    with pytest.raises(LocalspecError, match="can't be read"):
        ReplayBackend(tmp_path / "missing.jsonl")
