"""The first load of a file, in a process that it may end."""

from pathlib import Path

import pytest

from localspec import paths
from localspec.models import records, store
from localspec.models.records import PairRecord, StoredFile
from tests.cli.test_run import localspec, refused
from tests.tiny_kinds import write_kind

UNTRIED = {"tried_ns": 1}
"""As of a file that was another when it was loaded."""


def add_unbearable(tmp_path: Path) -> None:
    """A pair, never loaded here, that an architecture's own check of llama.cpp's ends with."""
    file = write_kind(tmp_path / "odd.gguf", "delta-net")
    data = bytearray(file.read_bytes())
    key = b"qwen35.ssm.inner_size"
    place = data.index(key) + len(key) + 4
    data[place : place + 4] = (2).to_bytes(4, "little")
    file.write_bytes(data)
    stored = StoredFile(role="target", path=file, bytes=file.stat().st_size, owned=False)
    records.save(PairRecord(name="odd", source="local", files=(stored,), verified=True))


@pytest.mark.parametrize(
    "command",
    [
        ["run", "odd", "-p", "Hi"],
        ["compare", "odd", "-p", "Hi"],
        ["bench", "odd"],
        ["doctor", "--costs", "odd"],
        ["fit", "odd", "--measure"],
    ],
    ids=lambda command: command[0],
)
def test_a_file_that_ends_llama_cpp_is_one_sentence(command: list[str], tmp_path: Path) -> None:
    """An architecture's own check ended the command with an abort and a native stack."""
    add_unbearable(tmp_path)
    done = localspec(*command, "--ctx", "512", LOCALSPEC_THREADS="1")
    refused(done, 1, "GGML_ASSERT(a->ne[d] == b->ne[d]) failed")
    assert "GGML_ASSERT" in paths.log_file().read_text()


def test_what_was_loaded_once_is_loaded_here(tiny_pair: str) -> None:
    """Each further load would take a process more; a draft that came since is tried again."""
    assert store.is_tried(tiny_pair)
    record = records.load(tiny_pair)
    assert record is not None
    target, draft = record.files
    records.save(record.model_copy(update={"files": (target, draft.model_copy(update=UNTRIED))}))
    assert not store.is_tried(tiny_pair)
    assert store.is_tried(tiny_pair, with_draft=False)
    store.touch(tiny_pair)
    assert store.is_tried(tiny_pair)
