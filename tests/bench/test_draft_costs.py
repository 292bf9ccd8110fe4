"""What is known of this machine's costs."""

from pathlib import Path

from localspec.backends.cost_store import CostStore, cost_key
from localspec.bench.draft_costs import this_machine, timed
from localspec.engine.costs import CostTable
from tests.conftest import TinyFiles


def keep(target: Path, draft: Path | None, points: dict[int, float]) -> None:
    costs = CostTable(points, {1: 0.5} if draft else {}, 33)
    key = cost_key(target, draft, ("CPU", "CPU"), ("f16", "q8_0"), 2)
    CostStore(key).save(costs)


def test_a_pair_of_this_machine_gives_the_shape(tiny_pair: str, tiny_files: TinyFiles) -> None:
    keep(tiny_files.target, tiny_files.draft, {1: 2.0, 33: 20.0})
    machine = this_machine("Q4_K_M")
    assert machine.shape[1] == 1.0
    assert machine.shape[33] == 10.0
    assert tiny_pair in machine.shape_from
    known = machine.timed(tiny_files.target, tiny_files.draft)
    assert known is not None and known.has_draft
    assert machine.timed(tiny_files.target, tiny_files.stranger) is None


def test_an_unquantised_target_has_a_shape_of_its_own(
    tiny_pair: str, tiny_files: TinyFiles
) -> None:
    """On a CPU its passes cost far less more for each token than a quantised one's."""
    keep(tiny_files.target, tiny_files.draft, {1: 2.0, 33: 20.0})
    other = this_machine("F16")
    assert tiny_pair not in other.shape_from
    assert "typical costs" in other.shape_from


def test_files_that_are_gone_were_never_timed(tmp_path: Path) -> None:
    assert timed(tmp_path / "a", tmp_path / "b") is None
