"""Pairs that can't be used, records that can't be read, disks that are full."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from localspec import paths
from localspec.health import storage
from localspec.health.finding import quoted
from localspec.models import records
from localspec.models.records import PairRecord, StoredFile
from tests.conftest import TinyFiles, register


def test_a_sound_pair_is_counted(tiny_pair: str) -> None:
    facts, findings = storage.pairs()
    assert facts["pairs"] == {"ready": 1, "partial": 0, "broken": 0}
    assert findings == []


def test_no_pair_is_a_hint() -> None:
    _, [finding] = storage.pairs()
    assert (finding.command, finding.is_broken) == ("localspec pull starter", False)


def test_a_record_that_cant_be_read(tiny_pair: str) -> None:
    """It counted as absent everywhere, so the pair just vanished."""
    for name in ("llama3-70b", "mine"):
        (paths.pairs_dir() / f"{name}.json").write_text("{")
    facts, [known, own] = storage.pairs()
    assert facts["pairs"] == {"ready": 1, "partial": 0, "broken": 2}
    assert known.command == "localspec pull llama3-70b"
    assert own.command == quoted("rm", paths.pairs_dir() / "mine.json")
    assert known.is_broken


def pulled(tmp_path: Path, size: int, verified: bool) -> None:
    file = tmp_path / "t.gguf"
    file.write_bytes(bytes(10))
    stored = StoredFile(role="target", path=file, bytes=size)
    records.save(PairRecord(name="tiny", source="hub", files=(stored,), verified=verified))


@pytest.mark.parametrize(
    ("size", "verified", "words", "is_broken"),
    [(11, True, "has another size than before", True), (11, False, "isn't finished", False)],
)
def test_a_pull_that_isnt_whole(
    tmp_path: Path, size: int, verified: bool, words: str, is_broken: bool
) -> None:
    pulled(tmp_path, size, verified)
    _, findings = storage.pairs()
    assert words in findings[0].text
    assert findings[0].is_broken is is_broken
    assert findings[0].command == "localspec pull tiny"


def test_own_files_that_moved(tmp_path: Path, tiny_files: TinyFiles) -> None:
    target, draft = tmp_path / "a b.gguf", tmp_path / "d.gguf"
    shutil.copy(tiny_files.target, target)
    shutil.copy(tiny_files.draft, draft)
    register("mine", target=target, draft=draft)
    target.write_bytes(target.read_bytes() + b"x")
    _, findings = storage.pairs()
    again = quoted("localspec", "add", "mine", "--target", target, "--draft", draft)
    assert findings[0].command == again
    target.unlink()
    _, findings = storage.pairs()
    assert findings[0].command == "localspec rm mine"
    assert "is gone" in findings[0].text


def test_an_almost_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulled(tmp_path, 10, True)
    usage = SimpleNamespace(free=10**9, total=10**12)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    facts, [finding] = storage.directories()
    assert "almost full: 1.0 GB" in finding.text
    assert finding.command == "localspec rm tiny"
    assert facts["disks"][0]["holds"] == ["models", "hub cache"]


def test_a_directory_that_cant_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.os, "access", lambda *_: False)
    _, findings = storage.directories()
    assert any("can't be written to" in finding.text and finding.is_broken for finding in findings)


def test_a_history_that_is_no_database(own_home: Path) -> None:
    path = paths.history_file()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\0rest")
    assert storage.directories()[1] == []
    path.write_bytes(b"something else entirely")
    _, [finding] = storage.directories()
    assert f"{path}.broken" in finding.command
