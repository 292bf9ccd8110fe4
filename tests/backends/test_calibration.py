"""Measuring what passes cost: quick for slow models, and it leaves nothing behind."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from localspec.backends import calibration
from localspec.backends.calibration import BUDGET_S, DraftFailed, measure, refresh
from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.chat.events import Event, Loading, Ready
from localspec.engine.costs import CostTable
from localspec.errors import NativeFailure
from tests.conftest import register
from tests.fakes import FakeDecoder, hashed
from tests.tiny_kinds import KINDS, write_kind

VOCAB = 12


class Clock:
    """Time that only passes move."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(calibration, "perf_counter", clock)
    return clock


class TimedDecoder(FakeDecoder):
    """A pass of n tokens takes `first_s + n * token_s`; marking a text takes `mark_s`."""

    def __init__(
        self,
        clock: Clock,
        first_s: float,
        token_s: float = 0.0,
        mark_s: float = 0.0,
        **options: int,
    ) -> None:
        super().__init__(hashed(VOCAB), VOCAB, **options)
        self._clock, self._first_s, self._token_s, self._mark_s = clock, first_s, token_s, mark_s

    def decode(self, tokens, num_logits):  # type: ignore[no-untyped-def]
        self._clock.now += self._first_s + len(tokens) * self._token_s
        return super().decode(tokens, num_logits)

    def mark(self) -> None:
        self._clock.now += self._mark_s if len(self.tokens) else 0.0
        super().mark()


def points(costs: CostTable, model: str) -> dict[int, float]:
    return {int(n): seconds for n, seconds in costs.report()[model]["0"].items()}


def test_a_fast_pair_is_measured_at_every_size(clock: Clock) -> None:
    costs = measure(TimedDecoder(clock, 0.01, 0.001), TimedDecoder(clock, 0.002, max_logits=1))
    found = points(costs, "target")
    assert sorted(found) == [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 33]
    assert found == pytest.approx({n: 0.01 + 0.001 * n for n in found})
    assert points(costs, "draft") == pytest.approx({1: 0.002, 2: 0.002, 8: 0.002})


@pytest.mark.parametrize("pass_s", [0.05, 0.2, 0.5, 0.8, 1.2, 1.7])
@pytest.mark.parametrize("token_s", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("draft_s", [0.001, 0.15])
def test_slow_models_are_measured_in_time(
    clock: Clock, pass_s: float, token_s: float, draft_s: float
) -> None:
    """Three passes of one token came first whatever they took: 4 s of a 70B target."""
    target = TimedDecoder(clock, pass_s, token_s * pass_s)
    costs = measure(target, TimedDecoder(clock, draft_s, max_logits=1))
    first_s = pass_s * (1.0 + token_s)
    # A size may take longer than those before it let expect; a first pass is needed in any case.
    assert clock.now <= max(BUDGET_S + 0.2, 2 * draft_s + first_s) or token_s == 1.0
    assert clock.now <= BUDGET_S + 2 * first_s
    assert costs.target(0)[1] == pytest.approx(first_s)
    assert np.all(np.diff(costs.target(0)) > 0) or token_s == 0.0


def test_a_pass_slower_than_the_budget_is_made_once(clock: Clock) -> None:
    target = TimedDecoder(clock, 5.0)
    costs = measure(target, None)
    assert target.calls == [1]
    assert costs.target(0)[1] == 5.0
    assert costs.target(0)[33] > costs.target(0)[8] > 5.0


def test_a_known_table_is_looked_at_in_less(clock: Clock) -> None:
    costs = CostTable({1: 1.0, 33: 3.0}, {1: 0.1, 8: 0.2}, 33)
    target, draft = TimedDecoder(clock, 2.0), TimedDecoder(clock, 0.1, max_logits=1)
    refresh(costs, target, draft)
    assert (target.calls, draft.calls) == ([1], [1, 1])
    assert costs.target(0)[1] > 1.0
    assert len(target.tokens) == len(draft.tokens) == 0


def test_a_table_that_a_busy_hour_spoiled_is_mended_at_load(clock: Clock) -> None:
    """Long passes seemed too dear, so none was made, so none was ever seen to be cheap again."""
    true = {n: 0.03 + 0.001 * n for n in range(1, 34)}
    spoiled = {1: true[1]} | {n: 3 * true[n] for n in (2, 4, 8, 16, 33)}
    costs = CostTable(spoiled, {1: 0.05, 8: 0.09}, 33)
    costs.observe("target", 2, 4, spoiled[4])
    for _ in range(2):
        refresh(costs, TimedDecoder(clock, 0.03, 0.001), TimedDecoder(clock, 0.002, max_logits=1))
    for bucket in (0, 2):
        for n in (1, 2, 4, 8, 16):
            assert costs.target(bucket)[n] == pytest.approx(true[n], rel=0.25)
    assert costs.draft(0)[1] < 0.01


@pytest.mark.parametrize("can_cut", [True, False])
def test_caches_are_empty_afterwards_and_were_before(clock: Clock, can_cut: bool) -> None:
    target, draft = (
        TimedDecoder(clock, 0.01, can_cut=can_cut, max_logits=rows) for rows in (33, 1)
    )
    for decoder in (target, draft):
        decoder.decode([1, 2, 3], 0)
    measure(target, draft)
    assert len(target.tokens) == len(draft.tokens) == 0
    assert target.marks == draft.marks == [0]


def test_saving_a_state_is_part_of_a_pass_that_needs_it(clock: Clock) -> None:
    """In an empty memory there is nothing to save, so the copy of each round was left out."""
    costs = measure(TimedDecoder(clock, 0.01, mark_s=0.03), None)
    assert costs.target(0)[1] == pytest.approx(0.01)
    assert costs.target(0)[4] == pytest.approx(0.04)


def test_only_sizes_that_fit_are_tried(clock: Clock) -> None:
    """A target with few snapshots gives few rows: asking it for 33 failed the load."""
    for options in ({"max_logits": 9}, {"max_batch": 9}, {"n_ctx": 9}):
        found = points(measure(TimedDecoder(clock, 0.01, **options), None), "target")
        assert sorted(found) == [1, 2, 3, 4, 5, 6, 8]


def test_whose_failure_it_was_is_told(clock: Clock) -> None:
    target = TimedDecoder(clock, 0.01)
    broken = TimedDecoder(clock, 0.01, fail_after=3)
    with pytest.raises(DraftFailed, match="out of memory"):
        measure(target, broken)
    assert len(broken.tokens) == 0
    broken = TimedDecoder(clock, 0.01, fail_after=3)
    with pytest.raises(NativeFailure) as failure:
        measure(broken, target)
    assert not isinstance(failure.value, DraftFailed)
    assert len(broken.tokens) == 0


def loaded(pair: LoadedPair) -> Iterator[Event]:
    with closing(pair):
        yield from pair.load()


@pytest.mark.parametrize("known", [False, True])
def test_a_failing_draft_is_off_and_a_failing_target_an_error(
    tiny_pair: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An out-of-memory draft failed the whole load."""
    request = LoadRequest(tiny_pair, ctx=512, threads=1)
    if known:
        list(loaded(LoadedPair(request)))
    passes = calibration._passes
    fails: set[bool] = {False}

    def failing(decoder, sizes, end, all_rows):  # type: ignore[no-untyped-def]
        if all_rows in fails:
            raise NativeFailure("out of memory")
        return passes(decoder, sizes, end, all_rows)

    monkeypatch.setattr(calibration, "_passes", failing)
    pair = LoadedPair(request)
    events = list(loaded(pair))
    assert Loading("costs", 0.0) in events
    ready = events[-1]
    assert isinstance(ready, Ready)
    assert ready.spec_off_reason == "the draft model failed: out of memory"
    assert ready.draft == ""
    assert not pair.has_draft
    assert not pair.costs.has_draft
    fails.add(True)
    with pytest.raises(NativeFailure, match="out of memory"):
        list(loaded(LoadedPair(request)))


def test_the_tiny_pair_is_measured_and_its_caches_are_empty(tiny_pair: str) -> None:
    with closing(LoadedPair(LoadRequest(tiny_pair, ctx=256, threads=1))) as pair:
        list(pair.load())
        assert len(pair.target.tokens) == len(pair.draft_decoder.tokens) == 0
        assert len(points(pair.costs, "target")) > 3
        measured_at = pair.cost_store.measured_at
        pair.recalibrate()
        assert pair.cost_store.measured_at >= measured_at


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_memory_is_measured(kind: str, own_home: Path, tmp_path: Path) -> None:
    files = {"target": write_kind(tmp_path / "target.gguf", kind)}
    files["draft"] = write_kind(tmp_path / "draft.gguf", kind, noise=0.1)
    register(kind, **files)
    for _ in range(2):
        with closing(LoadedPair(LoadRequest(kind, ctx=512, threads=1))) as pair:
            list(pair.load())
            assert pair.costs.has_draft
            assert len(pair.target.tokens) == len(pair.draft_decoder.tokens) == 0
