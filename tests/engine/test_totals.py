"""The numbers of several replies together."""

from __future__ import annotations

from dataclasses import fields

from localspec.engine.interface import Round
from localspec.engine.stats import Stats
from localspec.engine.totals import total, total_speedup

ROUNDS = [
    Round((1, 2, 3), 3, 2, ("draft", "draft", "suffix"), 0.01, 0.03, 0.001),
    Round((4,), 0, 0, (), 0.0, 0.03, 0.001),
    Round((5, 6), 1, 1, ("predicted",), 0.001, 0.03, 0.001),
    Round((7,), 2, 0, ("draft", "draft"), 0.01, 0.03, 0.001),
]


def counted(*rounds: Round) -> Stats:
    stats = Stats(num_prompt_tokens=10)
    stats.observe_prefill(0.5)
    for each in rounds:
        stats.observe(each, 0.05, 0.04)
    return stats


def test_together_they_are_what_one_reply_of_all_rounds_would_be() -> None:
    parts = [counted(*ROUNDS[:1]), counted(*ROUNDS[1:3]), counted(*ROUNDS[3:])]
    whole, one = total(parts), counted(*ROUNDS)
    apart = {"num_prompt_tokens": 30, "prefill_s": 1.5, "ttft_s": 3 * 0.55}
    for field in fields(Stats):
        wanted = apart.get(field.name, getattr(one, field.name))
        got = getattr(whole, field.name)
        assert got == wanted or abs(got - wanted) < 1e-9, field.name
    assert whole.acceptance_rates_per_pos == one.acceptance_rates_per_pos
    assert total([]) == Stats()


def test_the_speed_up_is_of_the_time_and_counts_what_drafted() -> None:
    drafted, plain = counted(*ROUNDS), counted(ROUNDS[1])
    # Seven tokens took 0.2 s and would have taken 0.7; one undrafted reply says nothing.
    assert total_speedup([(drafted, 10.0), (plain, 10.0), (drafted, None)]) == 0.7 / 0.2
    assert total_speedup([(plain, 10.0)]) is None
    assert total_speedup([]) is None
