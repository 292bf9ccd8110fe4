"""What a load takes of each device."""

from __future__ import annotations

import pytest

from localspec.backends import machine
from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.chat.events import Ready
from localspec.models.placement import CPU, MemoryOf


def test_less_is_free_after_a_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """More may be free where another program has ended meanwhile; that is none of the load's."""
    free = {"CUDA0": 20, "CUDA1": 10, CPU: 30}

    def found() -> tuple[MemoryOf, ...]:
        return tuple(MemoryOf(name, "gpu", size, 40) for name, size in free.items())

    monkeypatch.setattr(machine, "machine_memory", found)
    before = machine.FreeMemory()
    free.update({"CUDA0": 5, "CUDA1": 12})
    del free[CPU]
    assert before.less_now() == {"CUDA0": 15, "CUDA1": 0, CPU: 0}


def test_a_load_tells_what_it_took(tiny_pair: str) -> None:
    pair = LoadedPair(LoadRequest(tiny_pair))
    try:
        ready = list(pair.load())[-1]
    finally:
        pair.close()
    assert isinstance(ready, Ready)
    assert CPU in ready.taken
