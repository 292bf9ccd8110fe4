"""A comparison without a model: what was measured, and what is raced."""

from __future__ import annotations

import dataclasses

from localspec.chat.comparison import ArmResult, Comparison, Difference
from localspec.chat.events import Burst, Compared, Measuring
from localspec.engine.stats import Stats
from tests.tui.scripted import burst

PASSES = [
    burst("class", " Inventory", ":\n", source="predicted"),
    burst('    """', "Items", " by", " name", '."""\n', source="predicted"),
    burst("\n    def", " __init__"),
    burst("(self", ")", " ->", " None", ":\n"),
    burst("        self", ".items", " =", " {}\n", source="suffix"),
]
OTHER_END = burst("        # 在庫 🎉 [b]none[/b]\n")


def compared(
    *, other_end: bool = False, gap: float = 0.021, seconds: float = 1.0, **on: object
) -> Compared:
    """`seconds` of each drafted pass; the plain way takes one of 0.5 for every token. The texts
    can have other ends."""
    fast = [dataclasses.replace(each, elapsed_s=seconds) for each in PASSES]
    if other_end:
        fast[-1] = dataclasses.replace(OTHER_END, elapsed_s=seconds)
    plain = [
        dataclasses.replace(burst(piece.text, source="target"), elapsed_s=0.5)
        for each in PASSES
        for piece in each.pieces
    ]
    off = _result("off", plain)
    result = dataclasses.replace(_result("on", fast), **on)
    ratio = result.tokens_per_second / off.tokens_per_second
    difference = Difference(14, 1, 2, gap) if other_end else None
    spread = (ratio * 0.97, ratio * 1.03)
    comparison = Comparison(off, result, ratio, spread, not other_end, difference)
    return Compared(comparison, tuple(plain), tuple(fast))


def measuring(what: str, run: int, num_tokens: int, speed: float | None = None) -> Measuring:
    return Measuring(what, run, 3, num_tokens, 96, tokens_per_second=speed)


def _result(name: str, bursts: list[Burst]) -> ArmResult:
    stats = Stats()
    for each in bursts:
        stats.observe(each.round, each.elapsed_s)
    rate = stats.tokens_per_second
    assert rate is not None
    return ArmResult(
        name=name,
        tokens_per_second=rate,
        spread=(rate * 0.98, rate * 1.02),
        prefill_s=0.12,
        ttft_s=0.2,
        num_tokens=stats.num_tokens,
        acceptance_rate=stats.acceptance_rate,
        mean_acceptance_length=stats.mean_acceptance_length,
        state="off" if name == "off" else "active",
        state_reason="turned off" if name == "off" else "",
        stats=[stats.report()] * 3,
    )
