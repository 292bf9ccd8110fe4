"""`localspec doctor`: calm when all is well, exact when not, and never a crash."""

import json

import pytest

from localspec.health import build, configuration, drivers, hub, memory, native, storage, versions
from tests.cli.invoke import invoke
from tests.health.conftest import bare

__all__ = ["bare"]

ANSWERS = {
    "llama_cpp_python": "0.3.36",
    "llama_cpp": "b1",
    "cpu_features": "AVX2",
    "amx_off": "",
    "gpu_support": True,
    "threads": 4,
    "devices": [
        {"name": "CUDA0", "description": "A GPU\x1b[31m", "kind": "gpu",
         "memory_free": 2 * 10**9, "memory_total": 3 * 10**9},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "ask", lambda: json.loads(json.dumps(ANSWERS)))
    monkeypatch.setattr(hub, "_answer_s", lambda: 0.02)


def test_all_is_well(tiny_pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "doctor")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[-1] == "Nothing is broken."
    rows = [line for line in lines if line.startswith("  ")]
    starts = {len(line) - len(line[2:].split("  ", 1)[1].lstrip()) for line in rows}
    assert len(starts) == 1, "the values don't stand in one column"
    assert any(line.endswith("  A GPU�[31m, 2.0 of 3.0 GB free") for line in lines)
    assert any("reached in 20 ms" in line for line in lines)
    assert any(line.split() == ["pairs", "1", "ready"] for line in lines)


def test_findings_come_last_with_their_commands(
    tiny_pair: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALSPEC_CTX", "many")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = invoke(capsys, "doctor")
    assert done.code == 1
    tail = done.out[done.out.index("\nBroken\n") :].splitlines()
    assert tail[1] == "Broken"
    assert "Hints" in tail
    commands = [line for line in tail if line.startswith("    ->  ")]
    assert len(commands) == 2
    assert "LOCALSPEC_CTX" in commands[0]
    assert "HF_HUB_OFFLINE" in commands[1]


def test_hints_alone_are_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "doctor")
    assert done.code == 0
    assert done.out.endswith(
        "No model is ready on this disk.\n    ->  localspec pull starter\n\nNothing is broken.\n"
    )


def test_json_has_it_all(tiny_pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "doctor", "--json")
    facts = json.loads(done.out)
    assert facts["findings"] == []
    former = {"localspec", "python", "llama_cpp_python", "llama_cpp", "cpu_features", "amx_off",
              "gpu_support", "devices", "threads", "offload", "gpu_build", "paths"}  # fmt: skip
    assert former <= set(facts)
    assert {"libraries", "drivers", "memory", "disks", "pairs", "hub", "settings"} <= set(facts)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (versions, "versions"),
        (configuration, "settings"),
        (memory, "memory"),
        (storage, "directories"),
        (storage, "pairs"),
        (drivers, "drivers"),
        (build, "build"),
        (hub, "hub"),
        (build, "idle_gpus"),
    ],
)
def test_no_probe_can_end_it(
    tiny_pair: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    name: str,
) -> None:
    """Who calls the doctor has a machine where things fail."""

    def fail(*_: object) -> None:
        raise RuntimeError("strange\nmachine")

    monkeypatch.setattr(module, name, fail)
    done = invoke(capsys, "doctor")
    assert done.code == 0
    assert "could not be looked at (RuntimeError: strange machine)" in done.out
    assert json.loads(invoke(capsys, "doctor", "--json").out)["findings"]
