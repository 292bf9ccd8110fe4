"""llama.cpp is asked in a process of its own, whatever it does there."""

from pathlib import Path

import pytest

from localspec.health import build, native

CPU = {"name": "CPU", "kind": "cpu"}
GPU = {"name": "CUDA0", "kind": "gpu"}


def test_the_installed_build_answers() -> None:
    facts, _ = build.build()
    assert facts["llama_cpp"]
    assert [device["kind"] for device in facts["devices"]].count("cpu") == 1
    assert (facts["gpu_build"] == "") == facts["gpu_support"]


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("import os; os.abort()", "it ends its process (signal 6)"),
        ("raise OSError('libggml.so: no such file')", "libggml.so: no such file"),
        ("import sys; sys.exit(3)", "it says nothing"),
        ("import time; time.sleep(60)", "doesn't start within"),
    ],
)
def test_a_library_that_cant_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, words: str
) -> None:
    """A native abort or a hung driver took the doctor with it."""
    (tmp_path / "llama_cpp.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(native, "_TIMEOUT_S", 2.0 if "sleep" in module else 30.0)
    facts, [finding] = build.build()
    assert words in finding.text
    assert finding.is_broken
    assert "--force-reinstall" in finding.command
    assert words in facts["failure"]


def test_a_file_in_the_working_directory_is_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert native.ask()["llama_cpp"]


@pytest.mark.parametrize(
    ("support", "devices", "gpus", "words"),
    [
        (False, [CPU], [], ""),
        (False, [CPU], ["NVIDIA"], "CPU only, and there is a GPU (NVIDIA)"),
        (True, [CPU, GPU], ["NVIDIA"], ""),
        (True, [CPU], ["AMD"], "but llama.cpp sees none"),
        (True, [CPU], [], "This build can use a GPU, but llama.cpp sees none"),
    ],
)
def test_a_build_and_the_cards(
    support: bool, devices: list[dict[str, str]], gpus: list[str], words: str
) -> None:
    """A CPU build on a machine with a GPU was ten times slower, and nothing said why."""
    findings = build.idle_gpus({"gpu_support": support, "devices": devices}, gpus)
    assert bool(findings) == bool(words)
    if findings:
        assert words in findings[0].text
        assert findings[0].is_broken == (support and bool(gpus))


def test_a_compiler_that_broke_amx_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"gpu_support": True, "devices": [], "amx_off": "GCC 12.2 breaks it"}
    monkeypatch.setattr(native, "ask", lambda: answers)
    _, [finding] = build.build()
    assert "GCC 12.2" in finding.text
    assert "gcc-14" in finding.command
    assert "--no-binary" in finding.command
