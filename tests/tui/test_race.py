"""Where each side of a race is at a time."""

import pytest

from localspec.tui.race import RaceClock, Track, parting
from tests.tui.conftest import Clock
from tests.tui.scripted import burst

BURSTS = [burst("Here", " it", " is"), burst(":\n"), burst("日本", " 🎉")]
"""Three passes of 0.05 seconds: 3, 1 and 2 tokens."""


def test_what_a_pass_wrote_is_there_when_it_has_ended() -> None:
    track = Track(BURSTS)
    said = [(m.num_tokens, m.num_inked) for m in map(track.at, (0.0, 0.049, 0.051, 0.11, 0.2))]
    assert said == [(0, 0), (0, 0), (3, 8), (4, 9), (6, 12)]
    assert (track.num_tokens, track.text) == (6, "Here it is:\n日本 🎉")


def test_the_clock_of_a_side_that_is_done_stands_still() -> None:
    track = Track(BURSTS)
    assert track.at(0.1).seconds == 0.1
    assert not track.at(0.1).is_over
    last = track.at(99.0)
    assert last.is_over
    assert last.seconds == pytest.approx(0.15)
    assert last.rate == pytest.approx(6 / 0.15)


def test_a_reply_without_a_pass_is_over_at_once() -> None:
    moment = Track(()).at(0.0)
    assert (moment.num_tokens, moment.rate, moment.is_over) == (0, None, True)


def test_nothing_that_a_terminal_obeys_is_drawn() -> None:
    track = Track([burst("a\x1b[31m", "b\u202e")])
    assert track.text == "a[31mb"
    assert track.at(1.0).num_inked == 6


def test_the_race_runs_as_fast_as_it_is_told_to_and_no_further_than_its_end() -> None:
    clock = Clock()
    race = RaceClock(clock, 10.0)
    clock.now += 1.0
    assert race.seconds == 1.0
    race.faster()
    assert (race.speed, race.seconds) == (2, 1.0)
    clock.now += 1.0
    assert race.seconds == 3.0
    clock.now += 99.0
    assert (race.seconds, race.is_over) == (10.0, True)
    race.replay()
    assert (race.seconds, race.speed, race.is_over) == (0.0, 2, False)
    clock.now += 2.0
    assert race.seconds == 4.0


def test_behind_the_fastest_comes_the_real_time_again() -> None:
    clock = Clock()
    race = RaceClock(clock, 100.0)
    speeds = []
    for _ in range(5):
        speeds.append(race.speed)
        race.faster()
    assert speeds == [1, 2, 4, 8, 1]
    clock.now += 1.0
    assert race.seconds == 2.0


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [("same", "same", None), ("a b", "a c", 2), ("ab", "abc", 2), ("", "x", 0)],
)
def test_where_two_texts_part(one: str, other: str, place: int | None) -> None:
    assert parting(one, other) == place
