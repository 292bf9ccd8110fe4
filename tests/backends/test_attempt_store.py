"""What worked is kept for this machine; no file there can do harm."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from localspec.backends import attempt_store
from localspec.backends.attempt import Attempt, from_report
from localspec.backends.attempt_store import AttemptStore
from localspec.backends.interface import LoadRequest
from localspec.llama.devices import Device
from localspec.llama.offload import Offload
from tests.conftest import TinyFiles

KEPT = Attempt(4096, Offload(("CUDA0",), 20, cpu_experts=-1), Offload())
REQUEST = LoadRequest("tiny", tensor_split=(3.0, 1.0), rpc=("here:1",))


class Machine:
    free = 1000


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()

    def devices(rpc: tuple[str, ...]) -> list[Device]:
        return [Device("CUDA0", "a GPU", "gpu", machine.free, 2000, id(machine))]

    monkeypatch.setattr(attempt_store, "devices", devices)
    return machine


@pytest.fixture
def kept(tiny_files: TinyFiles) -> TinyFiles:
    store_of(tiny_files).save(KEPT)
    return tiny_files


def store_of(files: TinyFiles, request: LoadRequest = REQUEST) -> AttemptStore:
    return AttemptStore(request, files.target, files.draft)


def test_what_worked_comes_back(kept: TinyFiles) -> None:
    assert store_of(kept).load() == KEPT
    # What was asked for is the same, however it was asked for.
    again = replace(REQUEST, name="alias", fresh=True)
    assert store_of(kept, again).load() == KEPT


def test_other_settings_or_files_are_another_matter(kept: TinyFiles) -> None:
    assert store_of(kept, replace(REQUEST, ctx=4096)).load() is None
    assert store_of(kept, replace(REQUEST, cache_type="q8_0")).load() is None
    assert store_of(kept, replace(REQUEST, chosen=frozenset({"ctx"}))).load() is None
    assert AttemptStore(REQUEST, kept.target, None).load() is None


def test_more_memory_is_a_reason_to_try_again(kept: TinyFiles, machine: Machine) -> None:
    machine.free = 1100
    assert store_of(kept).load() is not None
    machine.free = 1101
    assert store_of(kept).load() is None
    machine.free = 10
    assert store_of(kept).load() is not None


def test_it_can_be_forgotten(kept: TinyFiles) -> None:
    store_of(kept).forget()
    store_of(kept).forget()
    assert store_of(kept).load() is None


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": None},
        {"attempt": {}},
        {"attempt": KEPT.report() | {"n_ctx": 0}},
        {"attempt": KEPT.report() | {"n_ctx": 2**32}},
        {"attempt": KEPT.report() | {"n_ctx": "many"}},
        {"attempt": KEPT.report() | {"target": {"devices": ["CUDA0"], "layers": 10**12}}},
        {"attempt": KEPT.report() | {"target": {"devices": ["CUDA0"], "layers": -2}}},
        {"attempt": KEPT.report() | {"draft": {"devices": [], "tensor_split": [1.0]}}},
        {"free": []},
        {"free": {"CUDA0": "x"}},
        {"key": {}},
    ],
)
def test_a_file_that_was_changed_is_as_good_as_none(
    kept: TinyFiles, change: dict[str, object]
) -> None:
    path = store_of(kept).path
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert store_of(kept).load() is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{" * 5000, b"\xff", b"{}" + b" " * (1 << 20)])
def test_a_file_that_is_none_is_no_error(kept: TinyFiles, content: bytes) -> None:
    store_of(kept).path.write_bytes(content)
    assert store_of(kept).load() is None


def test_a_directory_that_cannot_be_written_is_no_error(
    tiny_files: TinyFiles, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home / "file").write_text("")
    monkeypatch.setenv("LOCALSPEC_CACHE_DIR", str(own_home / "file" / "cache"))
    store_of(tiny_files).save(KEPT)
    store_of(tiny_files).forget()
    assert store_of(tiny_files).load() is None


def test_an_attempt_is_its_report() -> None:
    for attempt in (KEPT, Attempt(256, Offload(), None)):
        assert from_report(json.loads(json.dumps(attempt.report()))) == attempt
