"""Expected speeds, and which pairs a machine is told to get."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from localspec import paths
from localspec.bench import bandwidth, expected_speed
from localspec.bench.expected_speed import TEXT, Speed, pair_costs, speed_of
from localspec.bench.gpu_speeds import gpu_bandwidth
from localspec.bench.recommend import COMFORTABLE, Recommendation, best_of, recommend
from localspec.engine.costs import CostTable
from localspec.models.candidates import Candidates, candidates_of
from localspec.models.placement import CPU, MemoryOf, Placement
from localspec.models.placing import plan

GB = 10**9
RAM = MemoryOf(CPU, "cpu", 24 * GB, 25 * GB)
CARD = MemoryOf("CUDA0", "gpu", 24 * GB, 24 * GB)
SPEEDS = {CPU: 50e9, "CUDA0": 900e9}


def known(name: str) -> Candidates:
    found = candidates_of(name)
    assert found is not None
    return found


def costs_of(name: str, *devices: MemoryOf, quant: str = "") -> CostTable:
    pair = known(name)
    target = pair.chosen
    placement = plan(target.memory, pair.draft, devices, 8192)
    return pair_costs(target.memory, quant or target.quant, pair.draft, placement, SPEEDS)


def test_a_plain_token_reads_the_weights_once() -> None:
    seconds = float(costs_of("llama3.1-8b", RAM).target(0)[1])
    target = known("llama3.1-8b").chosen.memory
    read = target.read_per_token + TEXT * 32 * 8 * 128 * 4
    assert seconds == pytest.approx(read / (0.85 * 50e9), rel=0.05)


def test_drafting_will_not_pay_for_a_quantised_target_on_two_cores() -> None:
    """Users of small CPUs were told of gains that only GPUs have."""
    on_cpu, on_gpu = (
        speed_of(costs_of("qwen2.5-7b", RAM)),
        speed_of(costs_of("qwen2.5-7b", CARD, RAM)),
    )
    assert (on_cpu.drafted, on_cpu.num_draft_tokens) == (on_cpu.plain, 0)
    assert on_gpu.drafted > 1.3 * on_gpu.plain
    assert on_gpu.plain > 5 * on_cpu.plain


def test_unquantised_weights_gain_on_a_cpu_too() -> None:
    speed = speed_of(costs_of("llama3.1-8b", RAM, quant="F16"))
    assert speed.drafted > speed.plain


def test_checking_a_draft_wakes_more_experts() -> None:
    """A mixture's pass of many tokens was said to cost what one of one token does."""
    dense = costs_of("qwen2.5-32b", CARD, RAM).target(0)
    mixture = costs_of("qwen3-30b-a3b", CARD, RAM).target(0)
    assert mixture[8] / mixture[1] > 1.5 * dense[8] / dense[1]


def test_layers_on_the_cpu_slow_all_down() -> None:
    whole = speed_of(costs_of("qwen2.5-32b", CARD, RAM)).plain
    half = speed_of(costs_of("qwen2.5-32b", replace(CARD, free=12 * GB), RAM)).plain
    assert half < 0.5 * whole


def test_a_known_card_goes_by_its_name_and_another_by_its_memory() -> None:
    assert gpu_bandwidth(CARD, "NVIDIA GeForce RTX 4070 Ti SUPER", 1.0) == 672e9
    assert gpu_bandwidth(CARD, "Apple M3 Max", 1.0) == 400e9
    assert gpu_bandwidth(CARD, "", 1.0) == 900e9
    assert gpu_bandwidth(replace(CARD, kind="igpu"), "Some graphics", 40e9) == 40e9


def a_pair(
    name: str, parameters: float, speed: float, quant: str = "Q4_K_M", active: float = 0.0
) -> Recommendation:
    placement = Placement(
        0, 0, (), (), CPU, 0, 8192, "f16", "f16", True, uses=(), fits=True, reason=""
    )  # fmt: skip
    return Recommendation(
        name=name,
        quant=quant,
        reason="",
        parameters_b=parameters,
        active_b=active or parameters,
        has_draft=True,
        download=1,
        gated=False,
        placement=placement,
        num_layers=2,
        speed=Speed(speed, speed, 0),
    )


def names(*pairs: Recommendation) -> list[str]:
    return [each.name for each in best_of(pairs)]


def test_the_strongest_that_is_comfortable_comes_first() -> None:
    slow, large, small = a_pair("slow", 70, 3), a_pair("large", 14, 9), a_pair("small", 3, 90)
    assert names(small, slow, large) == ["large", "small"]


def test_of_equally_strong_pairs_the_faster_comes_first() -> None:
    """A pair of 33 billion parameters, half of it on the CPU, was put before one of 32 on a GPU."""
    assert names(a_pair("a", 33.3, 10), a_pair("b", 32.7, 80))[0] == "b"
    assert names(a_pair("a", 32, 80), a_pair("b", 32, 20, "Q8_0"))[0] == "b"


def test_a_mixture_is_as_strong_as_its_active_share_lets_it() -> None:
    assert names(a_pair("mixture", 30, 60, active=3), a_pair("dense", 14, 10))[0] == "dense"


def test_where_nothing_is_fast_the_fastest_come_first() -> None:
    assert names(*(a_pair(str(n), n, 8 / n - 0.1) for n in (2, 1, 4, 3))) == ["1", "2", "3"]


@pytest.mark.parametrize("devices", [(RAM,), (CARD, RAM), (replace(CARD, free=6 * GB), RAM)])
def test_what_is_recommended_fits_and_is_comfortable(devices: tuple[MemoryOf, ...]) -> None:
    found = recommend(devices, SPEEDS, here=False)
    assert len(found) == 3
    assert all(each.placement.fits and each.speed.best >= COMFORTABLE for each in found)
    assert all(each.download > 0 and not each.speed.measured for each in found)


def test_nothing_fits_a_toy() -> None:
    toy = MemoryOf(CPU, "cpu", 10**8, 10**8)
    assert recommend((toy,), SPEEDS, here=False) == []


def test_the_bandwidth_is_kept_and_trusted_only_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speeds = iter([30e9, 40e9, 50e9, 60e9])
    monkeypatch.setattr(bandwidth, "measure", lambda threads: next(speeds))
    assert [bandwidth.memory_bandwidth(2), bandwidth.memory_bandwidth(2)] == [30e9, 30e9]
    assert bandwidth.memory_bandwidth(3) == 40e9
    assert bandwidth.memory_bandwidth(3, anew=True) == 50e9
    (paths.cache_dir() / "bandwidth.json").write_text("{}")
    assert bandwidth.memory_bandwidth(3) == 60e9


@pytest.mark.parametrize("kept", [0.0, -1.0, 1e30, "fast", None])
def test_a_kept_bandwidth_that_cannot_be_is_measured_again(
    kept: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bandwidth, "measure", lambda threads: 30e9)
    bandwidth.memory_bandwidth(2)
    file: Path = paths.cache_dir() / "bandwidth.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"bytes_per_second": kept}))
    assert bandwidth.memory_bandwidth(2) == 30e9


def test_the_measured_bandwidth_is_bytes_over_the_best_pass() -> None:
    times = iter([0.0, 0.0, 2.0, 2.0, 3.0, 9.0])
    found = bandwidth.measure(2, 8_000, budget_s=1.0, clock=lambda: next(times))
    assert found == 8_000.0
    assert bandwidth.measure(1, 8_000_000, budget_s=0.0) > 1e6


def test_measured_times_come_before_reckoned_ones() -> None:
    speed = speed_of(CostTable({1: 0.1, 4: 0.11}, {1: 0.01}, 33), measured=True)
    assert (speed.plain, speed.measured) == (pytest.approx(10.0), True)
    assert speed.drafted > 1.5 * speed.plain
    assert expected_speed.ACCEPTANCE == 0.75
