"""The rate to beat, and the pauses between tries."""

import itertools

import pytest

from localspec.engine.pace import Allowance, Pace, Probes


def test_the_pace_starts_at_plain_decoding_and_follows_the_rounds() -> None:
    pace = Pace(10.0)
    assert pace.rate == pytest.approx(10.0)
    for _ in range(300):
        pace.observe(4, 0.2)
    assert pace.rate == pytest.approx(20.0, rel=0.01)


def due_rounds(probes: Probes, rounds: int, cost: float) -> list[int]:
    return [number for number in range(rounds) if probes.due(cost)]


def test_pauses_double() -> None:
    due = due_rounds(Probes(), 400, cost=0.0)
    pauses = [after - before for before, after in itertools.pairwise(due)]
    assert pauses == [25, 49, 97, 193][: len(pauses)]


def test_a_probe_that_costs_much_of_the_pause_waits() -> None:
    """On a CPU, reading what the model missed cost three tokens at every probe."""
    assert due_rounds(Probes(), 200, cost=1.0)[0] == 49
    assert due_rounds(Probes(), 200, cost=100.0) == []


def test_a_model_that_pays_again_is_asked_soon() -> None:
    probes = Probes()
    due_rounds(probes, 100, cost=0.0)
    probes.observe(chosen=False)
    assert due_rounds(probes, Probes.FIRST + 1, cost=0.0) == []
    probes.observe(chosen=True)
    assert due_rounds(probes, Probes.FIRST + 1, cost=0.0) == [Probes.FIRST]


def test_free_drafts_are_bounded_by_what_they_won() -> None:
    """One long wrong copy took a quarter of the speed of a short reply."""
    allowance = Allowance(Allowance.FREE_GRANT)
    start = allowance.left
    allowance.observe(num_tokens=4, gained=3, cost=1.7)
    assert allowance.left > start + 1.0
    for _ in range(3):
        allowance.observe(num_tokens=1, gained=0, cost=allowance.left)
    assert allowance.left <= 3 * Allowance.SHARE
