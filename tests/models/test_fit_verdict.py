"""Whether a pair fits, in the words of the list."""

from __future__ import annotations

import pytest

from localspec.models import catalog
from localspec.models.fit_verdict import fit_verdict
from localspec.models.placement import CPU, MemoryOf
from tests.models.scene import Scene

GB = 10**9


def machine(*gpus: int, ram: int = 64) -> tuple[MemoryOf, ...]:
    cards = [MemoryOf(f"CUDA{n}", "gpu", size * GB, size * GB) for n, size in enumerate(gpus)]
    return (*cards, MemoryOf(CPU, "cpu", ram * GB, ram * GB))


_NEARLY = (MemoryOf(CPU, "cpu", 48_520_000_000, 48_520_000_000),)


@pytest.mark.parametrize(
    ("name", "devices", "text"),
    [
        ("llama3.1-8b", machine(24), "fits on the GPU"),
        ("llama3-70b", machine(24, 24, 24), "fits on 3 GPUs"),
        ("llama3.1-8b", machine(), "fits in memory"),
        ("llama3-70b", machine(ram=16), "too big: needs 47 GB, 16 GB are free"),
        # "needs 49 GB, 49 GB are free" explained nothing.
        ("llama3-70b", _NEARLY, "too big: needs 48.6 GB, 48.5 GB are free"),
        ("llama3-70b", machine(1), "fits, on the CPU alone"),
        ("qwen3-30b-a3b", machine(12), "fits, experts of"),
    ],
)
def test_a_verdict_in_a_few_words(
    own_home: object, name: str, devices: tuple[MemoryOf, ...], text: str
) -> None:
    verdict = fit_verdict(name, devices)
    assert verdict.text.startswith(text)
    assert verdict.fits is not text.startswith("too big")


def test_layers_that_stay_on_the_cpu_are_counted(own_home: object) -> None:
    verdict = fit_verdict("llama3-70b", machine(24))
    layers = int(verdict.text.removeprefix("fits, ").partition(" ")[0])
    assert 0 < layers < 81
    assert verdict.text.endswith("layers on the CPU")
    assert f"{81 - layers} of 81 layers go on CUDA0" in verdict.detail


def test_the_quantisation_is_what_a_pull_takes(own_home: object) -> None:
    """A GPU with room takes more bits than the usual ones."""
    small, large = fit_verdict("llama3.1-8b", machine(8)), fit_verdict("llama3.1-8b", machine(80))
    assert small.quant == "Q4_K_M"
    assert large.bytes >= small.bytes


def test_every_pair_of_the_catalog_has_a_verdict(own_home: object) -> None:
    for pair in catalog.pairs():
        verdict = fit_verdict(pair.name, machine(24))
        assert verdict.text and verdict.detail


def test_a_broken_file_is_a_verdict_too(scene: Scene) -> None:
    scene.pull()
    path = scene.hub_file("maker/tiny-target-GGUF", "tiny-target-q8_0.gguf").resolve()
    path.write_bytes(b"x" * len(scene.target))
    verdict = fit_verdict("tiny", machine())
    assert (verdict.text, verdict.fits) == ("can't be judged", None)
    assert "tiny-target" in verdict.detail
