"""Estimates against what llama.cpp plans for models of real size, whose weights it needn't read."""

import re
from collections.abc import Callable
from pathlib import Path

import llama_cpp
import pytest

from localspec.llama import log
from localspec.llama.allocations import Allocated, allocated
from localspec.llama.cache_types import TYPES
from localspec.llama.context import CPU_CHUNK, GPU_CHUNK
from localspec.llama.devices import start_backend
from localspec.models import memory
from localspec.models.compute_memory import Pass, graph_bytes
from localspec.models.header_memory import memory_of
from localspec.models.memory import Cache, cache_bytes, row_bytes
from localspec.models.model_file import read_model
from tests import sparse_gguf

_CELLS = re.compile(r"size =\s*([\d.]+) MiB \(\s*\d+ cells")
"""llama_kv_cache's line; a planned cache's buffer is told as 0."""

MODELS: dict[str, Callable[[Path], Path]] = {
    "attention": sparse_gguf.attention,
    "small": lambda path: sparse_gguf.attention(
        path, arch="llama", embd=576, heads=9, kv_heads=3, head=64, ff=1536, tied=True
    ),
    "every head its own": lambda path: sparse_gguf.attention(path, kv_heads=32, ff=11008),
    "many wide heads": lambda path: sparse_gguf.attention(path, heads=64, ff=4096),
    "window": lambda path: sparse_gguf.attention(
        path, arch="gemma3", embd=3840, layers=6, heads=16, head=256, ff=15360, tied=True,
        keys={"attention.sliding_window": 1024},
    ),
    "few experts": lambda path: sparse_gguf.attention(path, layers=2, experts=8, used=2),
    "many experts": lambda path: sparse_gguf.attention(
        path, arch="qwen3moe", embd=2048, kv_heads=4, ff=768, experts=128, used=8
    ),
    "latent": sparse_gguf.latent,
    "large vocabulary": lambda path: sparse_gguf.attention(
        path, embd=1536, heads=12, kv_heads=2, ff=8960, n_vocab=50_000
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param](tmp_path_factory.mktemp("sparse") / "model.gguf")


@pytest.mark.parametrize("cache_type", ["f16", "q8_0"])
@pytest.mark.parametrize(("chunk", "rows"), [(CPU_CHUNK, 33), (CPU_CHUNK, 1), (GPU_CHUNK, 33)])
def test_the_estimate_is_within_a_tenth(
    model: Path, chunk: int, rows: int, cache_type: str
) -> None:
    known = memory_of(read_model(model))
    for n_ctx in (2000, 32768):
        cache = Cache(n_ctx, cache_type, cache_type)
        planned = plan_natively(model, cache, chunk, rows)
        assert cache_bytes(known, cache, rows, chunk) == pytest.approx(planned.cache, rel=0.01)
        compute = graph_bytes(known, cache, Pass(chunk, rows))
        assert compute == pytest.approx(planned.compute, rel=0.1)


def test_without_flash_attention_scores_are_counted(model: Path) -> None:
    known = memory_of(read_model(model))
    cache = Cache(8192)
    planned = plan_natively(model, cache, CPU_CHUNK, 33, flash_attention=False)
    compute = graph_bytes(known, cache, Pass(CPU_CHUNK, 33, flash_attention=False))
    assert compute == pytest.approx(planned.compute, rel=0.1)


def test_windows_that_are_not_kept_whole(tmp_path: Path) -> None:
    """A gemma's cache was reckoned as if windowed layers grew, whatever the context did."""
    path = MODELS["window"](tmp_path / "model.gguf")
    known = memory_of(read_model(path))
    cache = Cache(32768, whole_windows=False)
    planned = plan_natively(path, cache, CPU_CHUNK, 33)
    assert cache_bytes(known, cache, 33, CPU_CHUNK) == pytest.approx(planned.cache, rel=0.01)
    assert planned.cache < 0.5 * cache_bytes(known, Cache(32768), 33, CPU_CHUNK)


def test_the_sizes_that_both_sides_know_are_the_same() -> None:
    assert (memory.CPU_CHUNK, memory.GPU_CHUNK) == (CPU_CHUNK, GPU_CHUNK)
    for name, (_, elements, size) in TYPES.items():
        assert row_bytes(name, 10 * elements) == 10 * size


def test_a_context_that_was_made_twice_counts_once() -> None:
    """The buffers of a context that was given back were counted with those of the next."""
    model = "load_tensors:   CPU_REPACK model buffer size =   2.00 MiB"
    context = [
        "llama_context: constructing llama_context",
        "llama_context:        CPU  output buffer size =     0.50 MiB",
        "llama_kv_cache:        CPU KV buffer size =    10.00 MiB",
        "llama_kv_cache:        CPU KV buffer size =     1.00 MiB",
        "sched_reserve: CUDA0 compute buffer size =     3.00 MiB",
        "sched_reserve:  CUDA_Host compute buffer size =     4.00 MiB",
    ]
    mib = 2**20
    assert allocated([model, *context, *context]) == {
        "CPU": Allocated(2 * mib, 11 * mib, 4 * mib, mib // 2),
        "CUDA0": Allocated(compute=3 * mib),
    }


def test_a_remote_device_goes_by_its_short_name() -> None:
    line = "load_tensors: RPC0[127.0.0.1:5] model buffer size =    1.00 MiB"
    assert allocated([line]) == {"RPC0": Allocated(weights=2**20)}


def plan_natively(
    path: Path, cache: Cache, chunk: int, rows: int, flash_attention: bool = True
) -> Allocated:
    """What llama.cpp would allocate, by its log."""
    start_backend()
    params = llama_cpp.llama_model_default_params()
    params.no_alloc = True
    params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
    with log.recorded() as lines:
        model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        assert model, lines()[-1]
        made = llama_cpp.llama_context_default_params()
        made.n_ctx, made.n_outputs_max, made.n_seq_max = cache.n_ctx, rows, 1
        made.n_batch = made.n_ubatch = max(chunk, rows)
        made.swa_full = cache.whole_windows
        made.flash_attn_type = int(flash_attention)
        made.type_k, made.type_v = TYPES[cache.type_k][0], TYPES[cache.type_v][0]
        context = llama_cpp.llama_init_from_model(model, made)
        assert context, lines()[-1]
        llama_cpp.llama_free(context)
        llama_cpp.llama_model_free(model)
        told = allocated(lines())["CPU"]
        cells = sum(float(match[1]) for line in lines() if (match := _CELLS.search(line)))
    return Allocated(cache=int(cells * 2**20), compute=told.compute)
