"""The numbers of a suite, from runs that are made up."""

import pytest

from localspec.bench.arms import parse_arms
from localspec.bench.hindsight import hindsight
from localspec.bench.pace import Pace, clock_text
from localspec.bench.report import Measured, arm_results, drafting, kind_results, text_results
from localspec.bench.suite_run import Run, Text
from localspec.chat.comparison import Difference
from localspec.engine.stats import Stats

SPEEDS = {
    # prompt, category: the speed of each arm
    (1, "edit"): {"off": 10.0, "draft:1": 15.0, "draft:3": 20.0, "auto": 19.0},
    (2, "edit"): {"off": 10.0, "draft:1": 15.0, "draft:3": 30.0, "auto": 27.0},
    (3, "qa"): {"off": 10.0, "draft:1": 9.0, "draft:3": 5.0, "auto": 10.0},
}
ARMS = parse_arms("off,draft:1,draft:3,auto")


def run(prompt: int, category: str, arm: str, speed: float) -> Run:
    report = Stats().report() | {"tokens_per_second": speed}
    return Run(prompt, category, arm, 0, (1, 2), report)


def measured() -> Measured:
    runs = [
        run(*place, arm, speed) for place, arms in SPEEDS.items() for arm, speed in arms.items()
    ]
    return Measured([arm.name for arm in ARMS], runs)


def test_a_kind_has_the_median_and_the_spread_of_paired_ratios() -> None:
    kinds = {(kind.category, kind.arm): kind for kind in kind_results(measured())}
    assert len(kinds) == 8
    edit = kinds["edit", "draft:3"]
    assert (edit.ratio, edit.spread, edit.num_runs) == (2.5, (2.0, 3.0), 2)
    assert edit.tokens_per_second == 25.0
    assert kinds["edit", "off"].ratio == 1.0
    assert kinds["qa", "draft:3"].ratio == 0.5


def test_the_mean_is_over_kinds_and_names_the_lowest() -> None:
    """Many prompts of one kind outvoted the others."""
    found = measured()
    results = {result.arm: result for result in arm_results(found, kind_results(found))}
    assert results["draft:3"].ratio == pytest.approx((2.5 * 0.5) ** 0.5)
    assert (results["draft:3"].lowest, results["draft:3"].lowest_category) == (0.5, "qa")


def test_auto_is_held_against_hindsight() -> None:
    """Off is a fixed choice too: where drafting never pays, it is the one to reach."""
    auto = hindsight(kind_results(measured()), ARMS)
    assert auto is not None
    assert [(each.category, each.arm) for each in auto.kinds] == [
        ("edit", "draft:3"),
        ("qa", "off"),
    ]
    assert [each.ratio for each in auto.kinds] == [pytest.approx(2.3 / 2.5), 1.0]
    assert auto.lowest.category == "edit"
    assert auto.ratio == pytest.approx((2.3 / 2.5) ** 0.5)
    assert auto.single.arm == "draft:1"
    assert auto.single.ratio == pytest.approx((2.3 / (1.5 * 0.9)) ** 0.5)
    assert hindsight(kind_results(measured()), ARMS[:3]) is None


def test_a_kind_that_was_broken_off_counts_for_no_mean() -> None:
    found = measured()
    found.runs = [each for each in found.runs if (each.category, each.arm) != ("qa", "auto")]
    kinds = kind_results(found)
    assert {(kind.category, kind.arm) for kind in kinds} >= {("qa", "draft:3")}
    assert {result.lowest_category for result in arm_results(found, kinds)} == {"edit"}
    auto = hindsight(kinds, ARMS)
    assert auto is not None
    assert len(auto.kinds) == 1


def test_without_the_first_arm_there_is_no_ratio() -> None:
    found = Measured(["off", "auto"], [run(1, "edit", "auto", 12.0)])
    (kind,) = kind_results(found)
    assert (kind.ratio, kind.spread) == (None, None)
    (result,) = arm_results(found, [kind])
    assert (result.ratio, result.lowest_category) == (None, "")


def test_counts_are_added_before_they_are_divided() -> None:
    long = Stats(
        num_rounds=90, num_drafts=60, num_draft_tokens=180, num_accepted_tokens=90, decode_s=9.0,
        num_draft_round_tokens=150, num_rounds_per_source={"draft": 60, "none": 30}, native_s=8.9,
    )  # fmt: skip
    short = Stats(num_rounds=10, num_rounds_per_source={"suffix": 10}, decode_s=1.0, native_s=1.0)
    both = drafting([long.report(), short.report()])
    assert both.acceptance_rate == 0.5
    assert both.mean_draft_length == 1.8
    assert both.mean_acceptance_length == 2.5
    assert both.rounds_per_source == {"draft": 0.6, "none": 0.3, "suffix": 0.1}
    assert both.python_share == pytest.approx(0.01)
    assert drafting([Stats().report()]).python_share is None


def test_texts_are_counted_by_verdict() -> None:
    near, fault = Difference(3, 1, 2, 0.02), Difference(3, 1, 2, 2.0)
    texts = [Text(n, "auto", 0, difference) for n, difference in enumerate((None, near, fault))]
    found = measured()
    found.texts = [*texts, Text(1, "off", 0, None)]
    off, auto = text_results(found)
    assert (off.num_texts, off.num_same) == (1, 1)
    assert (auto.num_same, auto.num_near_ties, auto.num_faults, auto.largest_gap) == (1, 1, 1, 2.0)


def test_the_time_left_comes_from_the_runs_that_ended() -> None:
    now = 100.0
    pace = Pace(5, lambda: now)
    now = 130.0
    pace.start()
    assert pace.left_s is None
    now = 140.0
    pace.finish()
    assert (pace.left_s, pace.elapsed_s) == (40.0, 40.0)
    now = 144.0
    assert pace.left_s == 36.0
    now = 500.0
    assert pace.left_s == 0.0


def test_times_read_like_a_clock() -> None:
    assert [clock_text(s) for s in (0, 7.9, 760, 3723)] == ["0:00", "0:07", "12:40", "1:02:03"]
