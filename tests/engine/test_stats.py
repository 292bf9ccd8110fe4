"""Every shown number has one definition (B17)."""

import pytest

from localspec.engine.interface import Round
from localspec.engine.stats import Stats

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
    cut = Round((5, 6, 7, 8), num_drafted=5, num_accepted=3).keep(kept, "stop")
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


def test_the_report_has_the_promised_names() -> None:
    promised = {
        "num_prompt_tokens", "num_tokens", "load_s", "prefill_s", "ttft_s", "decode_s",
        "tokens_per_second", "num_drafts", "num_draft_tokens", "num_accepted_tokens",
        "num_accepted_tokens_per_pos", "acceptance_rate", "mean_acceptance_length", "draft_s",
        "verify_s", "sample_s", "overhead_s",
    }  # fmt: skip
    assert promised <= set(observed(WORKED).report())
