"""Settings that can't hold, or that ask for more than there is."""

from pathlib import Path

import pytest

from localspec import paths
from localspec.health import configuration, memory
from localspec.models.catalog import find
from localspec.settings import load_settings
from tests.conftest import TinyFiles, register

MACHINE = {"memory": {"total": 10**9, "available": 10**9, "limit": None, "cores": 4}}


def write(text: str) -> Path:
    path = paths.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_what_differs_from_the_default_is_told() -> None:
    write('ctx = 4096\ntheme = "localspec-dark"\n')
    facts, findings = configuration.settings()
    assert facts["settings"] == {"ctx": 4096}
    assert findings == []


@pytest.mark.parametrize("text", ["ctx = ", "ctx = 3", "contxt = 4096"])
def test_a_broken_file_is_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    path = write(text)
    facts, [finding] = configuration.settings()
    assert facts == {}
    assert finding.is_broken
    assert finding.command == f"vi {path}"


def test_a_variable_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALSPEC_CTX", "many")
    monkeypatch.setenv("LOCALSPEC_TEMPRATURE", "1")
    _, [unknown, wrong] = configuration.settings()
    assert "did you mean LOCALSPEC_TEMPERATURE" in unknown.text
    assert unknown.command.endswith("LOCALSPEC_TEMPRATURE")
    assert wrong.command.endswith("LOCALSPEC_CTX")


def test_own_pairs_that_cant_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vi")
    path = write("").with_name("pairs.json")
    path.write_text("[7]")
    _, [finding] = configuration.settings()
    assert "entry 1" in finding.text
    assert (finding.command, finding.is_broken) == (f"vi {path}", True)


def test_a_default_model_that_nobody_knows() -> None:
    write('model = "no-such"\n')
    _, [finding] = configuration.settings()
    assert "no-such, is neither" in finding.text


def test_a_device_that_isnt_there() -> None:
    write('device = "CUDA1"\n')
    devices = [{"name": "CPU", "kind": "cpu"}, {"name": "CUDA0", "kind": "gpu"}]
    [finding] = configuration.unknown_device(load_settings(), devices)
    assert finding.is_broken
    devices.append({"name": "cuda1", "kind": "gpu"})
    assert not list(configuration.unknown_device(load_settings(), devices))


def test_more_threads_than_cores() -> None:
    [finding] = memory.demands(load_settings(threads=5), MACHINE, on_gpu=True)
    assert "there are 4 cores" in finding.text
    assert not memory.demands(load_settings(threads=4), MACHINE, on_gpu=True)


def test_a_context_that_cant_fit(tiny_files: TinyFiles) -> None:
    """A context of a million tokens ended in an out-of-memory kill."""
    register("qwen2.5-coder-1.5b", target=tiny_files.target)
    entry = find("qwen2.5-coder-1.5b")
    assert entry
    assert entry.kv_bytes_per_token_f16
    fits = 10**9 // entry.kv_bytes_per_token_f16
    [finding] = memory.demands(load_settings(ctx=fits), MACHINE, on_gpu=False)
    assert finding.command == "localspec chat qwen2.5-coder-1.5b --ctx 32768"
    assert not memory.demands(load_settings(ctx=fits), MACHINE, on_gpu=True)
    assert not memory.demands(load_settings(ctx=8192), MACHINE, on_gpu=False)
    small = {"memory": MACHINE["memory"] | {"limit": 10**6}}
    [finding] = memory.demands(load_settings(ctx=8192), small, on_gpu=False)
    assert finding.command == "localspec recommend"


def test_the_containers_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (tmp_path / "gone", limit))
    for text, expected in (("max", None), ("1000000", 1_000_000), ("9" * 19, None)):
        limit.write_text(text)
        assert memory.memory()[0]["memory"]["limit"] == expected
