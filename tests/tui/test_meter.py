"""The rate of the last second; all other numbers are the engine's own."""

from __future__ import annotations

import pytest

from localspec.engine.interface import Prefill
from localspec.tui.meter import Meter
from tests.tui.scripted import burst


def test_nothing_is_claimed_before_the_first_burst() -> None:
    assert Meter().rate(5.0) is None


def test_the_first_burst_counts_over_the_time_it_took() -> None:
    meter = Meter()
    meter.observe(burst("a", "b"), 10.0)
    assert meter.rate(10.0) == pytest.approx(2 / 0.05)


def test_only_the_last_second_counts() -> None:
    meter = Meter()
    for tenth in range(30):
        meter.observe(burst("a", "b", "c"), 10 + tenth / 10)
    assert meter.rate(12.9) == pytest.approx(30)
    assert meter.rate(13.45) == pytest.approx(15)
    assert meter.rate(20.0) == 0


def test_the_context_is_prompt_and_reply_of_the_target() -> None:
    meter = Meter()
    meter.observe_prefill(Prefill(10, 39))
    meter.observe_prefill(Prefill(10, 99, model="draft"))
    meter.observe(burst("a", "b"), 1.0)
    assert meter.num_context_tokens == 42
