"""What goes on devices where that was left open: the draft, then the layers that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from localspec.backends import planning
from localspec.backends.interface import LoadRequest
from localspec.backends.pair_files import PairFacts
from localspec.backends.planning import LoadPlan, plan_load
from localspec.llama import device_choice
from localspec.llama.devices import Device
from localspec.llama.offload import Offload
from localspec.models.model_file import read_model
from localspec.models.placing import head_room
from tests.tiny_gguf import write_model
from tests.tiny_kinds import write_kind

MB = 10**6
REQUEST = LoadRequest("pair", ctx=2048)
SYSTEM = Device("CPU", "", "cpu", 20_000 * MB, 24_000 * MB, 1)
ROOM = 400
"""Megabytes that a plan leaves free."""

See = Callable[..., None]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> PairFacts:
    """A target of 8 layers of 9 MB, and a draft of one."""
    folder = tmp_path_factory.mktemp("plan")
    target = write_model(folder / "target.gguf", n_embd=512, n_layer=8, n_ctx_train=4096)
    draft = write_model(folder / "draft.gguf", n_embd=512, n_layer=1, n_ctx_train=4096)
    return PairFacts(read_model(target), read_model(draft))


@pytest.fixture
def see(monkeypatch: pytest.MonkeyPatch) -> See:
    """GPUs with so many free megabytes beside the head room."""

    def see(*free: int, kind: str = "gpu", total: int = 1000) -> None:
        gpus = [
            Device(f"CUDA{n}", "", kind, (ROOM + each) * MB, total * MB, n)
            for n, each in enumerate(free)
        ]
        monkeypatch.setattr(device_choice, "devices", lambda rpc: [*gpus, SYSTEM])
        monkeypatch.setattr(planning, "devices", lambda: [SYSTEM])

    return see


def planned(facts: PairFacts, **change: object) -> LoadPlan:
    return plan_load(replace(REQUEST, **change), facts)  # type: ignore[arg-type]


def test_with_room_all_of_it(facts: PairFacts, see: See) -> None:
    see(500)
    plan = planned(facts)
    assert plan.first.target == plan.first.draft == Offload(("CUDA0",), -1)
    assert plan.notices == ()


def test_the_draft_stays_whole_while_layers_become_fewer(facts: PairFacts, see: See) -> None:
    """Layers of the target were added first, and the draft found the GPU full."""
    counts = []
    for free in range(250, 30, -10):
        see(free)
        plan = planned(facts)
        assert plan.notices == ()
        assert plan.first.draft == Offload(("CUDA0",), -1)
        counts.append(plan.first.target.num_layers(8))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 9
    assert counts[-1] <= 1
    assert len(set(counts)) > 5


def test_a_draft_without_room_is_on_the_cpu_and_that_is_said(facts: PairFacts, see: See) -> None:
    see(5)
    plan = planned(facts)
    assert plan.first.draft == Offload()
    (notice,) = plan.notices
    assert notice.startswith("The draft goes on the CPU: CUDA0 has 405.0 MB free, it needs ")
    assert notice.endswith(" with 400.0 MB to spare.")


@pytest.mark.parametrize("name", ["draft_device", "draft_gpu_layers"])
def test_a_draft_whose_place_was_chosen_stays(facts: PairFacts, see: See, name: str) -> None:
    see(5)
    plan = planned(facts, chosen=frozenset({name}))
    assert plan.first.draft == Offload(("CUDA0",), -1)
    assert plan.notices == ()


def test_a_target_takes_several_devices_when_one_is_too_small(facts: PairFacts, see: See) -> None:
    see(90, 90)
    plan = planned(facts, draft_device="cpu")
    target = plan.first.target
    assert target.devices == ("CUDA0", "CUDA1")
    assert sum(target.tensor_split) == target.num_layers(8)


@pytest.mark.parametrize("change", [{"gpu_layers": 7}, {"tensor_split": (2.0, 1.0)}])
def test_what_the_user_set_stays(facts: PairFacts, see: See, change: dict[str, object]) -> None:
    see(5, 5)
    target = planned(facts, **change).first.target
    assert target.devices == ("CUDA0", "CUDA1")
    assert target.layers == change.get("gpu_layers", -1)
    assert target.tensor_split == change.get("tensor_split", ())


def test_experts_that_stay_make_room_for_layers(tmp_path: Path, see: See) -> None:
    mixture = read_model(write_kind(tmp_path / "m.gguf", "experts"))
    facts = PairFacts(mixture, None)
    see(500)
    target = planned(facts, cpu_experts="all").first.target
    assert (target.cpu_experts, target.devices) == (-1, ("CUDA0",))
    assert planned(facts).first.target.cpu_experts == 0


def test_a_device_that_knows_no_size_has_the_systems(facts: PairFacts, see: See) -> None:
    see(-ROOM, kind="igpu", total=0)
    assert planned(facts).first.target.layers == -1


def test_a_system_without_room_is_said_before_the_load(
    facts: PairFacts, see: See, monkeypatch: pytest.MonkeyPatch
) -> None:
    see(500)
    monkeypatch.setattr(planning, "devices", lambda: [replace(SYSTEM, memory_free=100 * MB)])
    (notice,) = planned(facts).notices
    assert notice.startswith("Memory is short. It needs ")


def test_what_a_unified_memory_lent_the_draft_is_gone_for_the_target(
    facts: PairFacts, see: See, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The draft's bytes on an integrated GPU stayed free in the system's memory."""
    need = planned_need(facts, see, monkeypatch)
    assert need("igpu", draft=True) > need("igpu", draft=False) + 5 * MB
    assert need("igpu", draft=False) > need("gpu", draft=False) + 50 * MB


def planned_need(facts: PairFacts, see: See, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The free system memory, to a megabyte, from which on a load isn't warned of."""

    def need(kind: str, *, draft: bool) -> int:
        see(1500, kind=kind)
        pair = facts if draft else replace(facts, draft=None)
        for free in range(500, 1500, 5):
            system = replace(SYSTEM, memory_free=free * MB, memory_total=2000 * MB)
            monkeypatch.setattr(planning, "devices", lambda found=system: [found])
            if not planned(pair).notices:
                return free * MB
        raise AssertionError

    return need


def test_the_head_room_is_what_these_tests_reckon_with() -> None:
    gpu = Device("CUDA0", "", "gpu", 0, 1000 * MB, 0)
    assert head_room(planning._memory(gpu)) == ROOM * MB
