"""A pair's costs as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localspec.cli import table


def costs_lines(report: dict[str, Any]) -> list[str]:
    """Of what `doctor_costs.report` holds."""
    seconds, known = report["seconds"], report["costs"]
    target = seconds["target"]
    plain = {bucket: row[0] for bucket, row in target.items()}
    sizes = range(1, len(next(iter(target.values()))) + 1)
    lines = [
        f"passes of {report['target']} on {report['device']}: milliseconds, and against a plain"
        " token (* measured, else interpolated)",
        "",
        *_table(target, known["target"], plain, sizes),
        *_caveat(known["target"], len(sizes)),
        "",
    ]
    if "draft" in seconds:
        draft = seconds["draft"]
        shown = sorted({int(n) for points in known["draft"].values() for n in points})
        first = next(iter(plain.values()))
        bases = {bucket: plain.get(bucket, first) for bucket in draft}
        lines += [f"passes of the draft, {report['draft']}, on {report['draft_device']}", ""]
        lines += [*_table(draft, known["draft"], bases, shown), ""]
    lines += [_verdict(report), *_prospects(report["prospects"]), "", *_rows(report), ""]
    return [*lines, *_place(report)]


def _table(
    seconds: dict[str, list[float]],
    known: dict[str, dict[str, float]],
    plain: dict[str, float],
    sizes: Sequence[int],
) -> list[str]:
    head = ["tokens", *(_context(int(bucket)) for bucket in seconds)]
    rows = []
    for n in sizes:
        cells = []
        for bucket, row in seconds.items():
            mark = "*" if str(n) in known[bucket] else " "
            relative = row[n - 1] / plain[bucket]
            cells.append(f"{row[n - 1] * 1e3:8.2f}{mark} {relative:6.2f}x")
        rows.append([f"{n:>6}", *cells])
    return table.lines(head, rows)


def _caveat(known: dict[str, dict[str, float]], most: int) -> list[str]:
    """Calibration had time for one pass, and assumed the other end."""
    if any(set(points) != {"1", str(most)} for points in known.values()):
        return []
    return [f"The model is so slow that it was only measured at 1 token; {most} is a guess until"
            " rounds tell."]  # fmt: skip


def _context(bucket: int) -> str:
    from localspec.engine.costs import BUCKET

    if bucket == 0:
        return f"context to {BUCKET}"
    return f"{BUCKET * 2 ** (bucket - 1) + 1} to {BUCKET * 2**bucket}"


def _verdict(report: dict[str, Any]) -> str:
    if report["draft"] is None:
        return f"There is no draft model here: {report['draft_off']}."
    if report["model_can_pay"]:
        return "The draft model can pay here."
    return (
        "The draft model can't pay here, even if nearly every guess is right: only suffix and"
        " predicted drafts are made."
    )


def _prospects(prospects: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for each in prospects:
        if_so = "every guess" if each["rate"] == 1.0 else f"{each['rate']:.0%} of the guesses"
        k = each["num_draft_tokens"]
        gain = f"{each['speedup']:.2f}x with {k} guesses a round" if k else "nothing beats plain"
        lines.append(f"If {if_so} were accepted: {gain}.")
    return lines


def _rows(report: dict[str, Any]) -> list[str]:
    from localspec.bench import rows

    costs = [rows.RowCost(**row) for row in report["sampled_rows"]]
    return list(rows.table(iter(costs)))


def _place(report: dict[str, Any]) -> list[str]:
    age = report["age_s"]
    return [
        f"Measured {ago(age)}, refined by every round since; --recalibrate measures again.",
        f"Kept in {report['file']}",
    ]


def ago(seconds: float) -> str:
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"
