"""The columns of the meter: true, of fixed width, and fewer on a narrow screen."""

from __future__ import annotations

import pytest

from localspec.chat.events import Burst, Ready
from localspec.engine.interface import Prefill, Round
from localspec.engine.stats import PlainSpeed
from localspec.tui.columns import GAP, columns, fitting
from localspec.tui.meter import Meter
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply

READY = Ready(
    "pair", "target", "draft", "CPU", 8192, 0.1, plain_pass_s=0.1, memory_bytes=1_934_000_000
)
PLAIN = Burst((), Round((1,), 0, 0, (), 0.0, 0.09, 0.001), 0.1)


def text(meter: Meter, now: float | None = None) -> str:
    parts = [part for column in columns(meter, now, 8192, False) for part in column.parts]
    return "".join(text for text, _ in parts)


def observed(*bursts: Burst, plain: PlainSpeed | None = None) -> Meter:
    meter = Meter(plain)
    for number, each in enumerate(bursts):
        meter.observe(each, 10.0 + number)
    return meter


def test_every_number_keeps_its_width_whatever_it_is() -> None:
    """A number that grew pushed all that stood behind it."""
    extremes = [
        Meter(),
        observed(burst("a")),
        observed(burst("a", "b", rejected="cd")),
        observed(*[burst(*"abcdefghijklmnop")] * 40, plain=PlainSpeed(0.9)),
    ]
    widths = [
        [column.width for column in columns(meter, now, 8192, False)]
        for meter in extremes
        for now in (None, 0.0, 7.25, 3456.7)
    ]
    assert all(each == widths[0] for each in widths)


def test_what_is_not_known_is_not_said() -> None:
    assert text(Meter()).split() == ["0", "/", "8,192", "context"]


def test_the_bars_are_acceptance_by_place_and_tokens_by_pass() -> None:
    """By place: 2 of 2, 1 of 2, none of 1. By pass: 3 tokens, then 2."""
    meter = observed(burst("a", "b", "c"), burst("a", "c", rejected=["x", "y"]))
    assert meter.stats.acceptance_rates_per_pos == [1.0, 0.5, 0.0]
    assert "█▅▁" in text(meter)
    assert "▃▂" in text(meter)


def test_the_newest_pass_says_how_much_is_drafted_now() -> None:
    meter = observed(burst("a", "b", "c"), burst("a", rejected=["x"], source="suffix"))
    assert " 1 drafted" in text(meter)
    assert meter.source == "suffix"


def test_no_speed_up_is_claimed_without_a_plain_speed() -> None:
    assert observed(burst("a", "b")).speedup is None
    assert "x" not in text(observed(burst("a", "b"))).replace("context", "")


def test_time_is_split_over_prompt_and_reply() -> None:
    meter = Meter()
    meter.observe_prefill(Prefill(9, 9, elapsed_s=0.15))
    meter.observe(burst("a", "b"), 10.0)
    assert " 75% prefill    5% draft   15% verify" in text(meter)
    assert "  0% sampling" in text(meter)
    assert sum(meter.stats.time_shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("room", range(120))
def test_columns_that_are_shown_fit(room: int) -> None:
    shown = fitting(columns(Meter(), None, 8192, False), room)
    assert not shown or sum(column.width + GAP for column in shown) - GAP <= room


def test_the_narrower_the_fewer_and_the_speed_stays_longest() -> None:
    every = columns(observed(burst("a", "b")), 1.0, 8192, False)
    counts = [len(fitting(every, room)) for room in range(200)]
    assert counts == sorted(counts)
    [last] = fitting(every, 12)
    assert "tok/s" in last.parts[1][0]


async def test_plain_passes_of_the_conversation_are_the_measure(open_desk: OpenDesk) -> None:
    """The load said 10 a second; eight plain passes say 10 as well, a drafted reply makes 40."""
    fast = [burst("a", "b") for _ in range(3)]
    backend = ScriptedBackend(reply(*[PLAIN] * 8, burst("x")), reply(*fast), loading=[READY])
    async with open_desk(backend, size=(120, 30)) as desk:
        await desk.ask("plain")
        assert "x " not in desk.status.split("accepted")[0]
        await desk.ask("drafted")
        # Nine plain passes took 0.84 s in all.
        assert f"{40 / (9 / 0.84):.1f}x" in desk.status
        await desk.until(lambda: f"accepted · {40 / (9 / 0.84):.1f}x" in desk.screen_text)
        await desk.send("/clear")
        assert desk.chat._talk._plain == PlainSpeed(0.1)


async def test_memory_is_shown_as_far_as_it_is_known(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("a", "b")), loading=[READY])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        assert "1.9 GB" in desk.status
        # A recording of old says nothing about it.
        await desk.ask("hi")
        assert "1.9 GB" in desk.status


@pytest.mark.parametrize(("size", "rows"), [((100, 30), 2), ((100, 14), 1)])
async def test_a_low_screen_has_one_row(
    open_desk: OpenDesk, size: tuple[int, int], rows: int
) -> None:
    backend = ScriptedBackend([burst("a", "b"), HOLD])
    async with open_desk(backend, size=size) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        desk.clock.now += 1
        await desk.until(lambda: "accepted" in desk.status)
        assert len(desk.status.splitlines()) == rows
        assert "context" in desk.status
        assert desk.status.endswith("● active · draft")
