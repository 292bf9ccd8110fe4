"""Every shown number has one definition (B17)."""

import pytest

from localspec.engine.interface import Round
from localspec.engine.stats import PlainSpeed, RecentRate, Stats

WORKED = [
    Round((1,) * 5, 4, 4, ("draft",) * 4),
    Round((1, 1), 4, 1, ("draft",) * 4),
    Round((1,), 2, 0, ("draft",) * 2),
]


def observed(rounds: list[Round], seconds: float = 0.5) -> Stats:
    stats = Stats()
    for round_ in rounds:
        stats.observe(round_, seconds)
    return stats


def test_the_worked_example() -> None:
    """Rates above 100 %, or counted from the setting instead of the drafts."""
    stats = observed(WORKED)
    assert stats.acceptance_rate == 0.5
    assert stats.num_tokens == 8
    assert stats.mean_acceptance_length == pytest.approx(8 / 3)
    assert stats.num_accepted_tokens_per_pos == [2, 1, 1, 1]
    assert stats.num_draft_tokens_per_pos == [3, 3, 2, 2]
    assert stats.acceptance_rates_per_pos == pytest.approx([2 / 3, 1 / 3, 1 / 2, 1 / 2])


def test_without_drafts_the_rates_are_absent() -> None:
    stats = observed([Round((1,)), Round((2,))])
    assert stats.acceptance_rate is None
    assert stats.mean_acceptance_length is None
    assert stats.num_drafts == 0


def test_rounds_without_drafts_don_t_dilute_the_acceptance_length() -> None:
    assert observed([*WORKED, Round((1,)), Round((1,))]).mean_acceptance_length == pytest.approx(
        8 / 3
    )


@pytest.mark.parametrize(
    ("kept", "tokens", "drafted", "accepted"),
    [(1, 1, 1, 1), (3, 3, 3, 3), (4, 4, 5, 3), (9, 4, 5, 3)],
)
def test_what_is_cut_off_a_round_was_never_tested(
    kept: int, tokens: int, drafted: int, accepted: int
) -> None:
    """Drafts after a stop were counted as rejected, or as accepted."""
    whole = Round((5, 6, 7, 8), num_drafted=5, num_accepted=3, rejected=(9, 9))
    cut = whole.keep(kept, "stop")
    assert len(cut.rejected) == drafted - accepted
    assert (len(cut.tokens), cut.num_drafted, cut.num_accepted) == (tokens, drafted, accepted)
    assert cut.finish_reason == "stop"


def test_times_add_up() -> None:
    stats = Stats()
    stats.observe_prefill(1.0)
    stats.observe(Round((1, 2), 1, 1, ("draft",), draft_s=0.1, verify_s=0.3, sample_s=0.05), 0.5)
    stats.observe(Round((1, 2), 1, 1, ("draft",), draft_s=0.1, verify_s=0.3, sample_s=0.05), 0.5)
    assert stats.ttft_s == pytest.approx(1.5)
    assert stats.decode_s == pytest.approx(1.0)
    assert stats.overhead_s == pytest.approx(0.1)
    assert stats.tokens_per_second == pytest.approx(4.0)


def test_the_parts_of_the_time_are_one_together() -> None:
    stats = Stats()
    assert stats.time_shares == {}
    stats.observe_prefill(1.0)
    stats.observe(Round((1, 2), 1, 1, ("draft",), draft_s=0.1, verify_s=0.3, sample_s=0.05), 1.0)
    assert stats.time_shares == pytest.approx(
        {"prefill": 0.5, "draft": 0.05, "verify": 0.15, "sampling": 0.025, "other": 0.275}
    )


def test_plain_speed_is_that_of_rounds_without_drafts() -> None:
    """What was spent on a draft that was not tested is not part of plain decoding."""
    plain = PlainSpeed()
    for _ in range(PlainSpeed.LEAST_ROUNDS):
        assert plain.tokens_per_second is None
        plain.observe(Round((1,), draft_s=0.3), 0.5)
        plain.observe(WORKED[0], 9.0)
    assert plain.tokens_per_second == pytest.approx(5.0)


def test_the_speed_up_is_measured_or_absent() -> None:
    """A speed-up against nothing that was measured here is a claim."""
    drafted, undrafted = observed(WORKED), observed([Round((1,))])
    assert PlainSpeed().speedup(drafted) is None
    assert PlainSpeed(0.25).speedup(drafted) == pytest.approx(8 / 1.5 / 4)
    assert PlainSpeed(0.25).speedup(undrafted) is None
    assert PlainSpeed(0.25).speedup(Stats()) is None


def test_the_recent_rate_starts_with_the_first_round() -> None:
    rate = RecentRate()
    assert rate.at(3.0) is None
    rate.observe(4, 0.5, 10.0)
    assert rate.at(10.0) == pytest.approx(8.0)
    assert rate.at(10.5) == pytest.approx(4.0)
    assert rate.at(11.0) == 0.0


def test_the_report_has_the_promised_names() -> None:
    promised = {
        "num_prompt_tokens", "num_tokens", "load_s", "prefill_s", "ttft_s", "decode_s",
        "tokens_per_second", "num_drafts", "num_draft_tokens", "num_accepted_tokens",
        "num_accepted_tokens_per_pos", "acceptance_rate", "mean_acceptance_length", "draft_s",
        "verify_s", "sample_s", "overhead_s",
    }  # fmt: skip
    assert promised <= set(observed(WORKED).report())
