"""A record that localspec can't have written counts as absent, and writing one fails in words."""

import json
from pathlib import Path
from typing import Any

import pytest

from localspec import paths
from localspec.errors import LocalspecError
from localspec.models import records, store
from localspec.models.adding import add
from tests.tiny_gguf import write_model


def plant(stem: str, **changes: Any) -> Path:
    record = {
        "name": stem,
        "source": "local",
        "files": [{"role": "target", "path": "/nowhere/m.gguf"}],
        "verified": True,
    }
    path = paths.pairs_dir() / f"{stem}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record | changes))
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"files": [{"role": "target", "path": "/a\0b.gguf"}]},
        {"files": [{"role": "target", "path": "/a.gguf", "partial": "/a\0"}]},
        {"files": [{"role": "target", "path": "/a.gguf", "bytes": -1}]},
        {"files": [{"role": "target", "path": "/a.gguf", "bytes": 10**400}]},
        {"files": [{"role": "draft", "path": "/a.gguf"}]},
        {"files": []},
        {"last_used": "0001-01-01T00:00:00"},
        {"last_used": "0001-01-01T00:00:00+00:00"},
        {"last_used": "9999-12-31T23:59:59-12:00"},
        {"last_used": "yesterday"},
        {"name": "other"},
        {"name": "../outside"},
    ],
)
def test_an_impossible_record_is_absent(tmp_path: Path, changes: dict[str, Any]) -> None:
    """One damaged record made every command fail for every pair."""
    plant("bad", **changes)
    add("good", write_model(tmp_path / "m.gguf"))
    assert [status.name for status in store.installed()] == ["good"]
    assert records.load("bad") is None
    assert not store.is_known("bad")


def test_touch_writes_nothing_outside(own_home: Path) -> None:
    """A record's own name decided where it was written again, even outside the directory."""
    plant("bad", name="../outside")
    store.touch("bad")
    paths.data_dir().joinpath("outside.json").write_text(plant("x", name="../outside").read_text())
    store.touch("../outside")
    assert records.load("../outside") is None
    assert "last_used" not in paths.data_dir().joinpath("outside.json").read_text()


def test_a_name_with_a_nul_is_unknown(own_home: Path) -> None:
    """A NUL in a name was an unexpected failure."""
    assert records.load("a\0b") is None


def test_a_data_directory_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the data directory's place was an unexpected failure."""
    (tmp_path / "data").touch()
    monkeypatch.setenv("LOCALSPEC_DATA_DIR", str(tmp_path / "data"))
    assert store.installed() == []
    with pytest.raises(LocalspecError, match="LOCALSPEC_DATA_DIR can name"):
        add("mine", write_model(tmp_path / "m.gguf"))
