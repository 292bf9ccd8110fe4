"""Costs of passes: measured points, what lies between, and what rounds teach."""

import json

import pytest

from localspec.engine.costs import CostTable, PassCosts, context_bucket


def test_ranges_of_context_double() -> None:
    edges = [1, 1024, 1025, 2048, 2049, 4096, 4097]
    assert [context_bucket(n) for n in edges] == [0, 0, 1, 1, 2, 2, 3]


def test_points_are_joined_and_extended_by_their_slope() -> None:
    costs = PassCosts({1: 1.0, 3: 2.0, 5: 5.0}, 8)
    assert costs.seconds.tolist() == pytest.approx([0.0, 1.0, 1.5, 2.0, 3.5, 5.0, 6.0, 7.0, 8.0])


def test_a_single_point_is_every_size() -> None:
    assert PassCosts({1: 2.0}, 4).seconds.tolist() == [0.0, 2.0, 2.0, 2.0, 2.0]


def test_observations_move_a_size_most_and_far_sizes_hardly() -> None:
    costs = PassCosts({1: 1.0, 3: 2.0, 33: 10.0}, 33)
    before = costs.seconds.copy()
    for _ in range(60):
        costs.observe(3, 3.0)
    assert costs.seconds[3] == pytest.approx(3.0, rel=0.02)
    moved = costs.seconds[1:] / before[1:]
    assert 1.05 < moved[0] < 1.3
    assert moved[3] > 1.2
    assert moved[32] < 1.05


def test_one_outlier_does_not_decide() -> None:
    """A pass that another program held up made drafting look hopeless for the whole reply."""
    costs = PassCosts({1: 1.0, 4: 1.3}, 8)
    costs.observe(4, 100.0)
    assert costs.seconds[4] < 1.5


def test_a_machine_whose_arithmetic_slows_down_is_believed() -> None:
    """One common pace for all sizes took each change of one size back at the next."""
    table = CostTable({1: 1.0, 4: 1.5}, {1: 0.2}, 33)
    for _ in range(40):
        table.observe("target", 0, 4, 2.5)
        table.observe("target", 0, 1, 0.9)
    assert table.target(0)[4] / table.target(0)[1] == pytest.approx(2.5 / 0.9, rel=0.05)


def test_sizes_not_seen_for_long_return_to_what_was_measured() -> None:
    """After a busy hour nothing seemed to pay, and it stayed so when the machine was idle again."""
    costs = PassCosts({1: 1.0, 4: 1.5, 16: 3.0}, 33)
    for _ in range(20):
        costs.observe(4, 6.0)
        costs.observe(16, 12.0)
        costs.observe(1, 2.0)
    assert costs.seconds[4] > 5.0
    for _ in range(300):
        costs.observe(1, 1.0)
    assert costs.seconds[4] == pytest.approx(1.5, rel=0.15)
    assert costs.seconds[16] == pytest.approx(3.0, rel=0.15)


def test_a_new_range_of_context_starts_from_the_nearest() -> None:
    table = CostTable({1: 1.0, 4: 1.5}, {}, 33)
    for _ in range(50):
        table.observe("target", 2, 4, 1.9)
    assert table.target(0)[4] == 1.5
    assert table.target(3)[4] == table.target(2)[4] != 1.5
    assert not table.has_draft


@pytest.mark.parametrize("seconds", [0.0, -1.0])
@pytest.mark.parametrize("size", [0, 34, 1000])
def test_impossible_observations_are_left_out(seconds: float, size: int) -> None:
    table = CostTable({1: 1.0}, {}, 33)
    table.observe("target", 0, size, 1.0)
    table.observe("target", 0, 1, seconds)
    assert set(table.target(0)[1:]) == {1.0}


def test_a_table_survives_its_file() -> None:
    table = CostTable({1: 1.0, 4: 1.5}, {1: 0.2, 2: 0.3}, 33)
    table.observe("target", 1, 4, 3.0)
    again = CostTable.from_report(json.loads(json.dumps(table.report())), 33)
    for bucket in (0, 1):
        for size in (1, 4):
            assert again.target(bucket)[size] == pytest.approx(table.target(bucket)[size])
        assert again.draft(bucket)[2] == pytest.approx(table.draft(bucket)[2])


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"target": {}},
        {"target": {"0": {}}},
        {"target": {"0": {"1": -1}}},
        {"target": {"0": {"0": 1}}},
        {"target": {"0": {"1": "NaN"}}},
        {"target": {"0": {"1": None}}},
        {"target": {"x": {"1": 1}}},
        {"draft": {"0": {"1": 1}}},
        {"target": [1]},
    ],
)
def test_a_broken_file_is_no_table(broken: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        CostTable.from_report(broken, 33)
