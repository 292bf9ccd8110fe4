"""Estimates device by device, on llama.cpp's RPC server on loopback. Run by hand, as
test_rpc_pair is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from localspec.backends.machine import machine_memory
from localspec.backends.measuring import measure
from localspec.llama import rpc
from localspec.models.header_memory import memory_of
from localspec.models.memory import ModelMemory
from localspec.models.model_file import read_model
from localspec.models.placement import MemoryOf
from localspec.models.placing import plan, uses_by_model
from tests.backends.test_rpc_pair import Server, server
from tests.tiny_gguf import write_model
from tests.tiny_kinds import write_kind

__all__ = ["server"]

pytestmark = [
    pytest.mark.rpc,
    pytest.mark.skipif(not rpc.supported(), reason="llama.cpp was built without GGML_RPC"),
]
_STEP = 0.05 * 2**20


def with_room_for(
    share: float, target: ModelMemory, draft: ModelMemory, devices: tuple[MemoryOf, ...]
) -> tuple[MemoryOf, ...]:
    """The remote device cut to what the draft and this share of the target need."""
    whole = plan(target, draft, devices, 4096)
    apart = uses_by_model(target, draft, devices, whole)
    name = devices[0].name
    free = apart["draft"][name].total + share * apart["target"][name].total
    return (replace(devices[0], free=int(free) + 400_000_000, total=1), *devices[1:])


@pytest.mark.parametrize(
    ("kind", "share", "experts"),
    [("attention", 1.1, 0), ("attention", 0.6, 0), ("experts", 1.1, 2)],
)
def test_each_device_takes_what_was_reckoned(
    server: Server, tmp_path: Path, kind: str, share: float, experts: int
) -> None:
    path = tmp_path / "target.gguf"
    if experts:
        target = read_model(write_kind(path, kind))
    else:
        target = read_model(write_model(path, n_layer=8, n_embd=512))
    draft = read_model(write_model(tmp_path / "draft.gguf", n_layer=2, n_embd=128))
    known = memory_of(target), memory_of(draft)
    servers = (server.address,)
    devices = with_room_for(share, *known, machine_memory(servers))
    placement = replace(plan(*known, devices, 4096), cpu_experts=experts)
    assert placement.draft_layers == 3
    assert (placement.target_layers == known[0].num_layers) == (share > 1)
    reckoned = uses_by_model(*known, devices, placement)
    found = list(measure(target, draft, placement, servers))
    assert {each.device for each in found} == {devices[0].name, "CPU"}
    for each in found:
        estimate = reckoned[each.role][each.device]
        if not each.mapped:
            assert estimate.weights == pytest.approx(each.weights, rel=0.02, abs=_STEP)
        assert estimate.cache == pytest.approx(each.cache, rel=0.02, abs=_STEP)
        # Of so narrow a model a split pass is reckoned too large, never too small.
        assert 0.9 * each.compute - _STEP < estimate.compute < 1.4 * each.compute + 2 * _STEP
