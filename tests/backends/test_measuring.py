"""Estimates against what llama.cpp allocates for tiny models of every kind, and for a pair."""

from pathlib import Path

import pytest

from localspec.backends.measuring import measure, native_allocations
from localspec.errors import UsageError
from localspec.llama.cache_types import CacheFormat
from localspec.llama.offload import Offload
from localspec.models.header_memory import memory_of
from localspec.models.memory import Cache, ModelMemory
from localspec.models.model_file import read_model
from localspec.models.model_use import Layout, ModelUse, Taken
from localspec.models.placement import MemoryOf
from localspec.models.placing import plan, uses_by_model
from tests.conftest import TinyFiles
from tests.tiny_kinds import KINDS, write_kind

_STEP = 0.05 * 2**20
"""The log rounds to hundredths of a MiB, and a tiny pass is a few of them."""
MACHINE = (MemoryOf("CPU", "cpu", 8 * 10**9, 8 * 10**9),)


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_kind(tmp_path_factory.mktemp("kinds") / "model.gguf", request.param)


@pytest.mark.parametrize("rows", [1, 33])
def test_every_kind_of_cache_is_known(kind: Path, rows: int) -> None:
    facts = read_model(kind)
    taken = native_allocations(facts, Offload(), 2048, rows, CacheFormat())["CPU"]
    estimate = _estimate(memory_of(facts), 2048, rows)
    assert estimate.weights == pytest.approx(taken.weights, rel=0.01, abs=_STEP)
    assert estimate.cache == pytest.approx(taken.cache, rel=0.01, abs=_STEP)
    compute = taken.compute + rows * taken.output
    assert estimate.compute == pytest.approx(compute, rel=0.1, abs=2 * _STEP)


def test_a_pair_is_measured_model_by_model(tiny_files: TinyFiles) -> None:
    target, draft = read_model(tiny_files.target), read_model(tiny_files.draft)
    placement = plan(memory_of(target), memory_of(draft), MACHINE, 4096, "bf16", "f16")
    reckoned = uses_by_model(memory_of(target), memory_of(draft), MACHINE, placement)
    found = list(measure(target, draft, placement))
    assert [(each.role, each.device) for each in found] == [("target", "CPU"), ("draft", "CPU")]
    for each in found:
        estimate = reckoned[each.role][each.device]
        assert estimate.cache == pytest.approx(each.cache, rel=0.05, abs=_STEP)
        assert estimate.weights == pytest.approx(each.weights, rel=0.01, abs=_STEP)


def test_a_cache_that_the_model_cannot_have_is_refused(tiny_files: TinyFiles) -> None:
    """llama.cpp refused a context of q8_0 with heads of 16 only after the weights were read."""
    target = read_model(tiny_files.target)
    placement = plan(memory_of(target), None, MACHINE, 4096, "q8_0", "q8_0")
    with pytest.raises(UsageError, match="heads of 16"):
        list(measure(target, None, placement))


def _estimate(memory: ModelMemory, n_ctx: int, rows: int) -> Taken:
    return ModelUse(memory, Cache(n_ctx), rows).of(Layout(()))[-1]
