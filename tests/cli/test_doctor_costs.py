"""`localspec doctor --costs`: the table, what it means, where it lies."""

import json
from pathlib import Path

import pytest

from localspec.bench.prospects import prospect
from localspec.cli.costs_words import ago, costs_lines
from localspec.engine.costs import CostTable
from tests.cli.invoke import invoke
from tests.conftest import TinyFiles, register

COSTS = ["--costs", "--threads", "1", "--ctx", "512"]


def test_a_pairs_passes_are_shown_and_explained(
    tiny_pair: str, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "doctor", tiny_pair, *COSTS)
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    sizes = [row for row in rows if row and row[0].isdecimal()]
    assert [int(row[0]) for row in sizes[:33]] == list(range(1, 34))
    assert sizes[0][1].endswith("*")
    assert sizes[0][2] == "1.00x"
    assert not sizes[6][1].endswith("*")
    assert "passes of the draft, draft.gguf" in done.out
    assert "If every guess were accepted: " in done.out
    assert "If 80% of the guesses were accepted: " in done.out
    assert "a sampled row" in done.out
    assert "Measured just now" in done.out
    assert str(own_home / "cache" / "costs") in done.out


def test_json_has_the_table_and_recalibrate_measures_again(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = json.loads(invoke(capsys, "doctor", tiny_pair, *COSTS, "--json").out)
    path = Path(first["file"])
    kept = json.loads(path.read_text())
    kept["measured_at"] = 1.0
    path.write_text(json.dumps(kept))
    again = json.loads(invoke(capsys, "doctor", tiny_pair, *COSTS, "--json").out)
    assert again["age_s"] > 1e6
    new = json.loads(invoke(capsys, "doctor", tiny_pair, *COSTS, "--recalibrate", "--json").out)
    assert new["age_s"] < 1e6
    assert len(new["seconds"]["target"]["0"]) == 33
    assert [each["rate"] for each in new["prospects"]] == [1.0, 0.8]
    assert CostTable.from_report(new["costs"], 33).has_draft


def test_a_pair_without_a_draft_says_so(
    tiny_files: TinyFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    register("alone", target=tiny_files.target)
    done = invoke(capsys, "doctor", "alone", *COSTS)
    assert done.code == 0
    assert "There is no draft model here: none belongs to this pair." in done.out
    assert "accepted" not in done.out


def test_a_model_goes_with_costs(tiny_pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    for args in ([tiny_pair], ["--recalibrate"]):
        done = invoke(capsys, "doctor", *args)
        assert done.code == 2
        assert "localspec doctor --costs MODEL" in done.err
    assert invoke(capsys, "doctor", "--costs", "absent").code == 2


def test_what_drafting_can_gain_by_costs_alone() -> None:
    costs = CostTable({1: 10.0, 2: 11.0, 3: 12.0, 4: 40.0}, {1: 1.0}, 33)
    sure = prospect(costs, 1.0, 16)
    assert (sure.num_draft_tokens, sure.speedup) == (2, pytest.approx(3 * 10 / (2 + 12)))
    likely = prospect(costs, 0.8, 16)
    assert (likely.num_draft_tokens, likely.speedup) == (2, pytest.approx(2.44 * 10 / 14))
    dear = CostTable({n: float(n) for n in range(1, 34)}, {1: 0.5}, 33)
    assert prospect(dear, 1.0, 16).num_draft_tokens == 0


def report(**changes: object) -> dict[str, object]:
    costs = CostTable({1: 0.01, 33: 0.02}, {1: 0.001}, 33)
    costs.observe("target", 2, 4, 0.02)
    tables = {"target": costs.target, "draft": costs.draft}
    seconds = {
        model: {bucket: tables[model](int(bucket))[1:].tolist() for bucket in buckets}
        for model, buckets in costs.report().items()
    }
    found = {
        "target": "t", "draft": "d", "draft_off": "", "device": "CPU", "draft_device": "CPU",
        "file": "f", "age_s": 90000.0, "model_can_pay": False, "prospects": [], "sampled_rows": [],
    }  # fmt: skip
    return found | {"costs": costs.report(), "seconds": seconds} | changes


def test_ranges_of_context_have_columns_of_their_own() -> None:
    lines = costs_lines(report())
    assert lines[2].split() == ["tokens", "context", "to", "1024", "2049", "to", "4096"]
    (row,) = (line for line in lines if line.split()[:1] == ["4"])
    assert row.count("*") == 1
    assert "The draft model can't pay here" in "".join(lines)
    assert "Measured 1 day ago" in lines[-2]
    paying = costs_lines(report(model_can_pay=True))
    assert "The draft model can pay here." in paying


def test_a_guess_is_not_called_measured() -> None:
    slow = CostTable({1: 1.0, 33: 4.2}, {}, 33)
    seconds = {"target": {"0": slow.target(0)[1:].tolist()}}
    lines = costs_lines(report(costs=slow.report(), seconds=seconds))
    assert any("was only measured at 1 token" in line for line in lines)
    assert not any("was only measured" in line for line in costs_lines(report()))


def test_ages() -> None:
    seconds = [0.0, 59.0, 60.0, 7300.0, 90000.0, 2e6]
    assert [ago(s) for s in seconds] == [
        "just now", "just now", "1 minute ago", "2 hours ago", "1 day ago", "23 days ago",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "flags", [["--rpc", "here:1"], ["--ctx", "512"], ["--draft-gpu-layers", "auto"]]
)
def test_flags_of_a_load_go_with_costs(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --costs nothing is loaded, and the flags were passed over in silence."""
    done = invoke(capsys, "doctor", *flags)
    assert (done.code, done.out) == (2, "")
    assert f"{flags[0]} goes with --costs." in done.err
