"""What goes where, on machines that are made up."""

import pytest

from localspec.models.memory import GraphWidths, Layer, ModelMemory
from localspec.models.placement import CPU, MemoryOf, Placement
from localspec.models.placement_words import legend, short
from localspec.models.placing import plan, uses_by_model

MB, GB = 10**6, 10**9
RAM = MemoryOf(CPU, "cpu", 60 * GB, 64 * GB)


def gpu(free: float, name: str = "CUDA0", kind: str = "gpu") -> MemoryOf:
    return MemoryOf(name, kind, int(free * GB), int(free * GB))


def model(layer_mb: int, num: int = 32, experts_mb: int = 0) -> ModelMemory:
    layer = Layer(layer_mb * MB, experts_mb * MB, k_width=1024, v_width=1024)
    return ModelMemory(
        layers=(layer,) * num,
        embeddings=200 * MB,
        output=200 * MB,
        tied=0,
        tied_copied_on_cpu=False,
        n_vocab=32_000,
        n_ctx_train=131_072,
        widths=GraphWidths(4096, 14_336, 32, 4096, 4096, 2 if experts_mb else 0, 1024),
        num_experts=16 if experts_mb else 0,
    )


TARGET, DRAFT = model(130), model(20, 16)
MIXTURE = model(30, 32, experts_mb=500)


def taken(placement: Placement) -> dict[str, int]:
    return {use.name: use.needed for use in placement.uses}


def test_without_a_gpu_all_is_on_the_cpu() -> None:
    placed = plan(TARGET, DRAFT, [RAM], 8192)
    assert (placed.target_layers, placed.draft_layers, placed.devices) == (0, 0, ())
    assert (placed.draft_device, placed.fits, list(taken(placed))) == (CPU, True, [CPU])
    assert taken(placed)[CPU] > TARGET.weights + DRAFT.weights


def test_what_fits_goes_wholly_on_one_gpu_with_the_whole_draft() -> None:
    placed = plan(TARGET, DRAFT, [gpu(12), RAM], 8192)
    assert (placed.target_layers, placed.draft_layers) == (33, 17)
    assert (placed.devices, placed.tensor_split, placed.draft_device) == (("CUDA0",), (), "CUDA0")
    assert placed.reason == "All layers go on CUDA0; the draft on the GPU."
    assert short(placed, 33) == "GPU"


def test_the_draft_comes_before_layers_of_the_target() -> None:
    """A draft that is read for every guess lay in slow memory, for a few layers of the target."""
    placed = plan(TARGET, DRAFT, [gpu(4), RAM], 8192)
    assert placed.draft_layers == 17
    assert 0 < placed.target_layers < 33
    without = plan(TARGET, None, [gpu(4), RAM], 8192)
    assert without.target_layers > placed.target_layers
    assert short(placed, 33) == f"{placed.target_layers}/33"


def test_a_gpu_too_small_for_the_draft_leaves_it_on_the_cpu_whole() -> None:
    placed = plan(TARGET, model(60, 16), [gpu(1), RAM], 8192)
    assert (placed.draft_layers, placed.draft_device, placed.fits) == (0, CPU, True)


def test_a_gpu_with_no_room_at_all_is_left_alone() -> None:
    placed = plan(TARGET, DRAFT, [gpu(0.3), RAM], 8192)
    assert (placed.target_layers, placed.devices, list(taken(placed))) == (0, (), [CPU])


@pytest.mark.parametrize("free", [1.5, 2, 3, 4, 5, 6, 8, 12])
@pytest.mark.parametrize("n_ctx", [2048, 32_768])
def test_head_room_stays_free_on_every_device_and_no_layer_more_would_fit(
    free: float, n_ctx: int
) -> None:
    devices = [gpu(free), RAM]
    placed = plan(TARGET, DRAFT, devices, n_ctx)
    assert placed.fits
    assert all(use.needed + use.head_room <= use.free for use in placed.uses)
    if 0 < placed.target_layers < 33:
        use = placed.uses[0]
        layer = TARGET.layers[0].weights + 4096 * n_ctx
        assert use.needed + use.head_room + 2 * layer > use.free


def test_two_gpus_hold_what_one_cannot() -> None:
    placed = plan(TARGET, DRAFT, [gpu(5), gpu(5, "CUDA1"), RAM], 8192)
    assert (placed.target_layers, placed.devices) == (33, ("CUDA0", "CUDA1"))
    assert sum(placed.tensor_split) == 33
    assert placed.tensor_split[0] < placed.tensor_split[1]
    assert (placed.draft_device, placed.draft_layers) == ("CUDA0", 17)
    assert short(placed, 33) == "2 GPUs"


def test_of_two_gpus_one_is_enough_if_it_can_hold_all() -> None:
    placed = plan(TARGET, DRAFT, [gpu(4), gpu(24, "CUDA1"), RAM], 8192)
    assert (placed.devices, placed.tensor_split, placed.draft_device) == (("CUDA1",), (), "CUDA1")


@pytest.mark.parametrize("full", [[0.0], [0.3, 0.1]])
@pytest.mark.parametrize("first", [True, False])
def test_a_full_gpu_keeps_nothing_off_the_others(full: list[float], first: bool) -> None:
    """One GPU whose free memory was less than the head room kept all layers off every GPU."""
    taken_up = [MemoryOf(f"CUDA{1 + n}", "gpu", int(f * GB), 24 * GB) for n, f in enumerate(full)]
    free = gpu(24, "CUDA0")
    devices = [free, *taken_up] if first else [*taken_up, free]
    placed = plan(TARGET, DRAFT, [*devices, RAM], 8192)
    assert (placed.target_layers, placed.devices, placed.fits) == (33, ("CUDA0",), True)
    assert (placed.draft_device, placed.draft_layers) == ("CUDA0", 17)


def test_a_full_gpu_between_two_others_is_passed_over() -> None:
    devices = [gpu(5), MemoryOf("CUDA1", "gpu", 0, 24 * GB), gpu(5, "CUDA2"), RAM]
    placed = plan(TARGET, DRAFT, devices, 8192)
    assert (placed.target_layers, placed.devices) == (33, ("CUDA0", "CUDA2"))
    partly = plan(TARGET, DRAFT, [gpu(3), *devices[1:2], RAM], 8192)
    assert 0 < partly.target_layers < 33
    mixture = plan(MIXTURE, DRAFT, [gpu(12), *devices[1:2], RAM], 8192)
    assert (mixture.target_layers, 0 < mixture.cpu_experts < 32) == (33, True)


def test_the_draft_goes_where_room_is_not_where_most_is_free() -> None:
    """A large GPU leaves more free for others: its free memory looked like room for a draft."""
    large, small = MemoryOf("CUDA0", "gpu", 4 * GB, 80 * GB), gpu(3.5, "CUDA1")
    placed = plan(TARGET, DRAFT, [large, small, RAM], 8192)
    assert placed.draft_device == "CUDA1"


def test_experts_move_out_before_whole_layers_do() -> None:
    placed = plan(MIXTURE, DRAFT, [gpu(12), RAM], 8192)
    assert placed.target_layers == 33
    assert 0 < placed.cpu_experts < 32
    assert taken(placed)[CPU] > placed.cpu_experts * 500 * MB
    assert short(placed, 33) == f"GPU+{placed.cpu_experts}x"
    smaller = plan(MIXTURE, DRAFT, [gpu(3), RAM], 8192)
    assert (smaller.cpu_experts, 0 < smaller.target_layers < 33) == (32, True)


def test_nothing_stays_on_the_cpu_of_a_mixture_that_fits() -> None:
    assert plan(MIXTURE, None, [gpu(24), RAM], 8192).cpu_experts == 0


def test_what_fits_nowhere_is_said_with_its_size() -> None:
    placed = plan(TARGET, DRAFT, [MemoryOf(CPU, "cpu", 3 * GB, 4 * GB)], 8192)
    assert not placed.fits
    assert "the system's memory" in placed.reason
    assert "3.0 GB are free" in placed.reason
    assert short(placed, 33) == "no"
    assert legend("no") == ["no: doesn't fit."]


def test_an_integrated_gpu_takes_the_systems_memory() -> None:
    """A Mac's GPU and its memory were counted as two, and both were filled."""
    shared = MemoryOf(CPU, "cpu", 9 * GB, 10 * GB)
    apart = plan(TARGET, None, [gpu(8), shared], 32_768)
    unified = plan(TARGET, None, [gpu(8, kind="igpu"), shared], 32_768)
    assert apart.fits
    assert not unified.fits
    assert "of the memory that CPU and GPU share" in unified.reason
    assert "9.0 GB are free" in unified.reason


def test_a_smaller_cache_leaves_room_for_layers() -> None:
    wide = plan(TARGET, DRAFT, [gpu(6), RAM], 32_768)
    narrow = plan(TARGET, DRAFT, [gpu(6), RAM], 32_768, "q8_0", "q8_0")
    assert narrow.target_layers > wide.target_layers


@pytest.mark.parametrize(
    "devices",
    [[RAM], [gpu(4), RAM], [gpu(5), gpu(5, "CUDA1"), RAM], [gpu(4), gpu(24, "CUDA1"), RAM]],
)
def test_both_models_together_are_the_whole(devices: list[MemoryOf]) -> None:
    placed = plan(TARGET, DRAFT, devices, 8192)
    apart = uses_by_model(TARGET, DRAFT, devices, placed)
    for use in placed.uses:
        assert sum(apart[role][use.name].total for role in apart) == use.needed
