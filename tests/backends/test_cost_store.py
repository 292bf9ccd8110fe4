"""Costs in the cache directory: whatever lies there, and whoever else writes."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from localspec.backends import cost_store
from localspec.backends.cost_store import CostStore, latest
from localspec.backends.interface import LoadRequest
from localspec.backends.kept_file import file_key
from localspec.backends.loading import LoadedPair
from localspec.engine.costs import CostTable

KEY = {"target": ["a.gguf", 1, 2], "draft": None, "threads": 2}


def table(seconds: float = 1.0) -> CostTable:
    return CostTable({1: seconds, 4: 1.5 * seconds}, {}, 33)


def test_a_table_is_kept_with_the_time_of_its_measurement() -> None:
    store = CostStore(KEY)
    assert store.load() is None
    store.measured_at = 1000.5
    store.save(table())
    again = CostStore(KEY)
    known = again.load()
    assert known is not None
    assert known.report() == table().report()
    assert again.measured_at == 1000.5
    assert CostStore(KEY | {"threads": 3}).load() is None
    assert [path.name for path in cost_store.folder().iterdir()] == [store.path.name]


def test_a_time_to_come_is_no_age() -> None:
    store = CostStore(KEY)
    store.measured_at = 1e15
    store.save(table())
    again = CostStore(KEY)
    assert again.load() is not None
    assert again.measured_at < 1e15


GOOD = {"key": KEY, "measured_at": 1.0, "costs": table().report()}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"[]",
        b"[" * 100_000,
        b" " * (1 << 21),
        json.dumps(GOOD | {"key": {"target": "other"}}).encode(),
        json.dumps(GOOD | {"measured_at": None}).encode(),
        json.dumps(GOOD | {"measured_at": []}).encode(),
        json.dumps(GOOD | {"costs": []}).encode(),
        json.dumps(GOOD | {"costs": {"target": {"0": {"1": "NaN"}}}}).encode(),
        json.dumps(GOOD | {"costs": {"target": {"0": {"1": 1e9}}}}).encode(),
        json.dumps(GOOD | {"costs": {"target": {"0": {str(10**30): 1.0}}}}).encode(),
        json.dumps(GOOD | {"costs": {"target": {"9" * 5000: {"1": 1.0}}}}).encode(),
        json.dumps({name: GOOD[name] for name in ("key", "costs")}).encode(),
    ],
)
def test_a_broken_or_foreign_file_is_ignored_and_replaced(content: bytes) -> None:
    store = CostStore(KEY)
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(content)
    assert store.load() is None
    store.save(table())
    assert CostStore(KEY).load() is not None


def test_a_folder_in_the_place_of_the_file_is_ignored() -> None:
    store = CostStore(KEY)
    store.path.mkdir(parents=True)
    store.save(table())
    assert store.load() is None
    assert [path.name for path in cost_store.folder().iterdir()] == [store.path.name]


def test_a_cache_that_cannot_be_written_is_fine(
    tiny_pair: str, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as root, for whom no directory is read-only."""
    (own_home / "file").write_text("")
    monkeypatch.setenv("LOCALSPEC_CACHE_DIR", str(own_home / "file" / "cache"))
    store = CostStore(KEY)
    store.save(table())
    assert store.load() is None
    target = own_home / "file"
    assert latest(target, None) is None
    with closing(LoadedPair(LoadRequest(tiny_pair, ctx=256, threads=1))) as pair:
        list(pair.load())
        assert pair.costs.has_draft


def test_two_processes_write_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both wrote to one draft of the file, and what was left was neither's."""
    first, second = CostStore(KEY), CostStore(KEY)
    write_text = Path.write_text
    pids = iter([1, 2])
    monkeypatch.setattr(os, "getpid", lambda: next(pids))

    def interrupted(path: Path, *args: str) -> int:
        monkeypatch.setattr(Path, "write_text", write_text)
        written = path.write_text(*args)
        second.save(table(2.0))
        return written

    monkeypatch.setattr(Path, "write_text", interrupted)
    first.save(table(1.0))
    known = CostStore(KEY).load()
    assert known is not None
    assert known.target(0)[1] == 1.0
    assert len(list(cost_store.folder().iterdir())) == 1


def test_the_latest_table_of_a_pair_is_found(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("target.gguf", "draft.gguf")]
    for path in files:
        path.write_text(path.name)
    key = {"target": file_key(files[0]), "draft": file_key(files[1])}
    for threads, seconds in ((1, 3.0), (2, 2.0)):
        store = CostStore(key | {"threads": threads})
        store.save(table(seconds))
        os.utime(store.path, (threads, threads))
    (cost_store.folder() / "broken.json").write_text("[[[")
    found = latest(*files)
    assert found is not None
    assert found.target(0)[1] == 2.0
    assert latest(files[0], None) is None


def test_a_pairs_costs_are_refined_from_load_to_load(tiny_pair: str) -> None:
    request = LoadRequest(tiny_pair, ctx=256, threads=1)
    ages = []
    for _ in range(2):
        with closing(LoadedPair(request)) as pair:
            list(pair.load())
            assert pair.cost_store is not None
            ages.append(pair.cost_store.measured_at)
            path = pair.cost_store.path
            pair.costs.observe("target", 0, 7, 1.0)
        assert "7" in json.loads(path.read_text())["costs"]["target"]["0"]
    assert ages[0] == ages[1]
    assert len(list(cost_store.folder().iterdir())) == 1
