"""What a comparison came to: honest about slower, idle and other texts."""

import dataclasses

from localspec.chat.comparison import ArmResult, Comparison, Difference
from localspec.tui.verdict import verdict

OFF = ArmResult(
    "off", 31.2, (30.0, 32.0), 0.1, 0.2, 96, None, None, "off", "turned off", [{}, {}, {}]
)
ON = ArmResult("on", 64.8, (63.0, 65.0), 0.1, 0.2, 96, 0.82, 3.4, "active", "", [{}, {}, {}])
FASTER = Comparison(OFF, ON, 2.08, (2.01, 2.14), True, None)


def test_the_speed_up_has_its_spread() -> None:
    assert verdict(FASTER) == "2.08x (2.01 to 2.14, 3 runs) · same text · 82% accepted"


def test_slower_is_called_slower() -> None:
    slower = dataclasses.replace(FASTER, speedup=0.8, speedup_spread=(0.79, 0.81))
    assert verdict(slower).startswith("0.80x slower (0.79 to 0.81, 3 runs)")


def test_the_same_work_twice_is_not_slower() -> None:
    """Nothing was drafted, and yet speculation was called slower."""
    idle = dataclasses.replace(ON, acceptance_rate=None, state="idle")
    noise = dataclasses.replace(FASTER, on=idle, speedup=0.95)
    assert "slower" not in verdict(noise)


def test_one_run_has_no_spread() -> None:
    once = dataclasses.replace(FASTER, off=dataclasses.replace(OFF, stats=[{}]))
    assert verdict(once).startswith("2.08x (1 run)")


def test_a_difference_is_judged() -> None:
    near = dataclasses.replace(FASTER, same_tokens=False, difference=Difference(56, 1, 2, 0.021))
    assert "texts part at token 57 (≠), gap 0.021: a near-tie, decided by rounding" in verdict(near)
    far = dataclasses.replace(near, difference=Difference(56, 1, 2, 1.5))
    assert "too large for rounding" in verdict(far)
    sampled = dataclasses.replace(near, difference=None)
    assert "other text, as samples are" in verdict(sampled)


def test_speculation_that_was_not_active_says_why() -> None:
    idle = dataclasses.replace(
        ON, acceptance_rate=None, state="idle", state_reason="wouldn't pay here"
    )
    said = verdict(dataclasses.replace(FASTER, on=idle))
    assert said.endswith("speculation idle (wouldn't pay here): nothing was drafted")
    broken = dataclasses.replace(ON, state="off", state_reason="the draft model failed: x")
    said = verdict(dataclasses.replace(FASTER, on=broken))
    assert said.endswith("82% accepted · speculation off (the draft model failed: x)")
