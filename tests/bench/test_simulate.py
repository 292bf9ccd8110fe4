"""Replays: by hand, against the engine, and against what can't be exceeded."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from localspec.backends.arm import Arm
from localspec.backends.loading import LoadedPair
from localspec.bench.arms import parse_arms
from localspec.bench.cost_tables import shipped as shipped_costs
from localspec.bench.forecast import CLAIRVOYANT, Forecast, replays
from localspec.bench.simulate import (
    MakeDrafter,
    SimulatedClock,
    TraceSource,
    clairvoyant,
    falls,
    replay,
    simulate,
)
from localspec.bench.trace import Trace, record
from localspec.bench.trace_file import read_traces, shipped
from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.engine.costs import CostTable
from localspec.engine.engine import Engine
from localspec.engine.interface import Limits, Round, Verdict
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError
from tests.fakes import FakeDecoder, hashed

COSTS = CostTable({1: 10.0, 2: 12.0, 3: 13.0, 4: 20.0}, {1: 1.0, 2: 1.5, 4: 2.0}, 33)


def hand_made(reply: list[int], guesses: list[int], temperature: float = 0.0) -> Trace:
    right = [float(guess == token) for guess, token in zip(guesses, reply, strict=True)]
    return Trace("a", temperature, [1, 2, 3], reply, guesses, [0.9] * len(reply), right, right)


def fixed(k: int) -> MakeDrafter:
    return lambda trace, clock: FixedDrafter(TraceSource(trace, clock), k)


def test_the_time_of_a_replay_is_the_sum_of_its_passes() -> None:
    """Guesses of two: both right, then the second wrong, then the end leaves no room."""
    trace = hand_made([5, 6, 7, 8, 9, 4, 5], [5, 6, 0, 8, 0, 4, 5])
    (result,) = simulate([trace], COSTS, fixed(2))
    # Rounds: 5 6 + 7; 8 + 9 (one wrong); 4 + 5, where room is left for one guess only.
    assert (result.num_rounds, result.num_drafted, result.num_accepted) == (3, 5, 4)
    # The draft reads one new token (the last of the prompt), then two: its second guess was not
    # read, and the target's token; after a wrong one only the target's.
    draft_s = (1.0 + 1.0) + (1.5 + 1.0) + 1.0
    assert result.seconds == pytest.approx(draft_s + 13.0 + 13.0 + 12.0)
    assert result.num_tokens == 7
    (plain,) = simulate([trace], COSTS, lambda trace, clock: NoDrafter())
    assert plain.seconds == pytest.approx(70.0)


def test_the_clairvoyant_by_hand() -> None:
    trace = hand_made([5, 6, 7, 8], [5, 6, 0, 8])
    # Both first guesses in a pass of three, then a plain token: nothing is left to guess.
    assert clairvoyant(trace, COSTS) == pytest.approx(4 / (2 + 13 + 10))
    assert clairvoyant(trace, CostTable({1: 10.0}, {}, 33)) == pytest.approx(0.1)


def traces_of(temperature: float, count: int = 4) -> list[Trace]:
    """Recorded on fakes whose draft agrees now and then."""
    return [recorded(temperature, seed)[0] for seed in range(count)]


def recorded(temperature: float, seed: int) -> tuple[Trace, FakeDecoder, FakeDecoder]:
    n_vocab = 6
    rule, other = hashed(n_vocab, depth=2), hashed(n_vocab, salt=9, depth=2)

    def near(prefix: tuple[int, ...]) -> np.ndarray:
        return rule(prefix) + 0.7 * other(prefix)

    target, draft = FakeDecoder(rule, n_vocab), FakeDecoder(near, n_vocab, max_logits=1)
    model = SimpleNamespace(end_tokens=frozenset(), n_vocab=n_vocab)
    pair = SimpleNamespace(target=target, draft_decoder=draft, model=model, clear=lambda: None)
    sampling = SamplingParams(temperature=temperature, max_tokens=80, seed=seed)
    prompt = [seed % n_vocab, 1, 2]
    *_, trace = record(cast(LoadedPair, cast(Any, pair)), "a", prompt, sampling)
    assert isinstance(trace, Trace)
    for decoder in (target, draft):
        decoder.rollback(0)
    return trace, target, draft


@pytest.mark.parametrize("k", [1, 2, 3, 8, 32])
@pytest.mark.parametrize("seed", range(6))
def test_a_fixed_draft_is_accepted_as_by_the_engine(k: int, seed: int) -> None:
    trace, target, draft = recorded(0.0, seed)
    assert 0.1 < np.mean(trace.certain) < 0.95
    params = SamplingParams(temperature=0.0)
    drafter = FixedDrafter(ModelSource(draft), k)
    events = Engine(target).generate(trace.prompt, params, Limits(max_tokens=80), drafter)
    rounds = [event for event in events if isinstance(event, Round)]
    verdicts: list[Verdict] = []
    clock = SimulatedClock(COSTS)
    simulated = FixedDrafter(TraceSource(trace, clock), k)
    simulated.observe = verdicts.append  # type: ignore[method-assign]
    result = replay(trace, simulated, clock)
    assert [verdict.num_accepted for verdict in verdicts] == [r.num_accepted for r in rounds]
    assert [len(verdict.draft.guesses) for verdict in verdicts] == [r.num_drafted for r in rounds]
    assert result.num_rounds == len(rounds)


MODEL_ARMS = parse_arms("off,draft:1,draft:2,draft:3,draft:5,draft:8,draft:16,draft:32,draft")


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize(
    "costs",
    [
        *shipped_costs().values(),
        COSTS,
        CostTable({1: 1.0, 2: 3.0, 4: 0.9, 6: 4.0, 33: 4.5}, {1: 0.3, 2: 0.1, 8: 0.5}, 33),
    ],
)
def test_nothing_that_only_has_the_model_beats_the_clairvoyant(
    temperature: float, costs: CostTable
) -> None:
    """Passes of more tokens may take less time, and then a wrong guess helps."""
    traces = traces_of(temperature)
    for arm in MODEL_ARMS:
        for trace, result in zip(traces, replays(traces, costs, arm), strict=True):
            assert result.rate <= clairvoyant(trace, costs) * (1 + 1e-9)


def test_luck_is_the_same_for_every_drafter_and_as_likely_as_recorded() -> None:
    (trace,) = traces_of(1.0, 1)
    assert np.array_equal(falls(trace), falls(trace))
    many = Trace("a", 1.0, [1], [2] * 4000, drawn=[0.3] * 4000)
    assert np.mean(~falls(many)) == pytest.approx(0.3, abs=0.03)


def test_the_table_given_is_left_as_it_is() -> None:
    before = COSTS.report()
    for arm in parse_arms("off,draft:3,suffix,auto"):
        list(replays(traces_of(0.0), COSTS, arm))
    assert COSTS.report() == before


def test_a_forecast_has_means_over_kinds_and_the_best_in_hindsight() -> None:
    forecast = Forecast(parse_arms("off,draft:1,draft:2"))
    forecast.categories = ["a", "a", "b"]
    forecast.speedups = {
        "off": [1.0] * 3, "draft:1": [2.0, 8.0, 1.0], "draft:2": [1.0, 1.0, 4.0],
    }  # fmt: skip
    assert forecast.of_kind("draft:1", "a") == pytest.approx(4.0)
    assert forecast.overall("draft:1") == pytest.approx(2.0)
    assert forecast.overall("draft:2") == pytest.approx(2.0)
    assert forecast.in_hindsight() == pytest.approx(4.0)
    assert Forecast(parse_arms("suffix")).best_fixed() is None
    assert Forecast(parse_arms("suffix")).in_hindsight() is None


def test_arms_of_a_model_need_its_costs() -> None:
    alone = CostTable({1: 1.0, 33: 2.0}, {}, 33)
    with pytest.raises(UsageError, match="have no draft"):
        list(replays(traces_of(0.0), alone, Arm("draft:2", "draft", 2)))
    assert all(list(replays(traces_of(0.0), alone, Arm("auto", "auto"))))


def test_predicted_texts_are_followed() -> None:
    trace = traces_of(0.0, 1)[0]
    told = Trace(
        **{name: getattr(trace, name) for name in Trace.__slots__} | {"predicted": [trace.reply]}
    )
    for name in ("predicted", "predicted:8", "auto"):
        forecast = Forecast(parse_arms(name))
        list(forecast.add([told], shipped_costs()["gpu"]))
        assert forecast.overall(name) > 4.0


def test_auto_beats_every_fixed_arm_on_a_gpu() -> None:
    try:
        files = [read_traces(shipped(name)) for name in ("greedy", "sampled")]
    except UsageError:
        pytest.skip("no traces are shipped yet")
    fixed = ",".join(f"draft:{k}" for k in range(1, 17))
    for file in files:
        forecast = Forecast(parse_arms(f"off,{fixed},auto"))
        list(forecast.add(file.traces, shipped_costs()["gpu"]))
        best = forecast.best_fixed()
        assert best is not None
        assert forecast.overall("auto") > forecast.overall(best.name)
        assert CLAIRVOYANT in forecast.speedups
