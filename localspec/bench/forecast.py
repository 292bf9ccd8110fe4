"""What each way of drafting would gain on recorded replies, by a table of costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean

from localspec.backends.arm import Arm
from localspec.bench.cost_tables import copied
from localspec.bench.simulate import (
    MakeDrafter,
    Replay,
    SimulatedClock,
    TraceSource,
    clairvoyant,
    replay,
)
from localspec.bench.trace import Trace
from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.none import NoDrafter
from localspec.drafters.predicted import PredictedSource
from localspec.drafters.suffix import SuffixSource
from localspec.engine.controller import AdaptiveDrafter
from localspec.engine.costs import CostTable
from localspec.engine.interface import Drafter, Source
from localspec.engine.prior import Experiences
from localspec.errors import UsageError
from localspec.settings import SpecMode

CLAIRVOYANT = "clairvoyant"


def free_sources(trace: Trace, spec: SpecMode = "auto") -> list[Source]:
    """The sources without a model that a reply would have had, as `backends.sources` has it."""
    sources: list[Source] = []
    if spec in ("auto", "suffix"):
        sources.append(SuffixSource())
    if spec == "predicted" or (spec == "auto" and trace.predicted):
        sources.append(PredictedSource(trace.predicted))
    return sources


def drafter_of(arm: Arm, costs: CostTable) -> MakeDrafter:
    """Experience is kept from reply to reply, as in a chat. Raises UsageError where the costs lack
    the draft that the arm needs."""
    if arm.spec == "draft" and not costs.has_draft:
        raise UsageError(
            f"{arm.name}: these costs have no draft.", "Add draft=MS, or leave it out."
        )
    experiences = Experiences()

    def make(trace: Trace, clock: SimulatedClock) -> Drafter:
        if arm.spec == "off":
            return NoDrafter()
        model = TraceSource(trace, clock) if arm.spec in ("auto", "draft") else None
        free = free_sources(trace, arm.spec)
        if arm.num_draft_tokens is not None:
            return FixedDrafter(model or free[-1], arm.num_draft_tokens)
        experience = experiences.at(trace.temperature)
        return AdaptiveDrafter(model, free, costs, experience, clock=clock)

    return make


def replays(traces: Sequence[Trace], costs: CostTable, arm: Arm) -> Iterator[Replay]:
    """Each trace under an arm, in order. The table given is left as it is."""
    own = copied(costs)
    make = drafter_of(arm, own)
    for trace in traces:
        clock = SimulatedClock(costs)
        yield replay(trace, make(trace, clock), clock)


@dataclass(slots=True)
class Forecast:
    """Speed-ups against plain decoding, trace by trace."""

    arms: list[Arm]
    categories: list[str] = field(default_factory=list)
    """Of each trace."""
    speedups: dict[str, list[float]] = field(default_factory=dict)
    """By arm; `clairvoyant` is an upper bound for the model's guesses."""

    def add(self, traces: Sequence[Trace], costs: CostTable) -> Iterator[int]:
        """Replay traces under every arm, yielding how many replays are done."""
        plain = [result.rate for result in replays(traces, costs, Arm("off", "off"))]
        self.categories += [trace.category for trace in traces]
        num_done = 0
        for arm in self.arms:
            known = self.speedups.setdefault(arm.name, [])
            for base, result in zip(plain, replays(traces, costs, arm), strict=True):
                known.append(result.rate / base)
                num_done += 1
                yield num_done
        bounds = [clairvoyant(trace, costs) for trace in traces]
        known = self.speedups.setdefault(CLAIRVOYANT, [])
        known += [bound / base for bound, base in zip(bounds, plain, strict=True)]

    @property
    def kinds(self) -> list[str]:
        """Categories in the order of their first trace."""
        return list(dict.fromkeys(self.categories))

    def of_kind(self, name: str, category: str) -> float:
        """The geometric mean of an arm's speed-ups in a category."""
        return self._mean(self.speedups[name], category)

    def overall(self, name: str) -> float:
        """The geometric mean over the categories, however many prompts each has."""
        return self._over_kinds(self.speedups[name])

    def best_fixed(self) -> Arm | None:
        """The fixed arm that is best overall; None without one."""
        return max(self._fixed, key=lambda arm: self.overall(arm.name), default=None)

    def in_hindsight(self) -> float | None:
        """Overall, had the best fixed arm of each prompt been known; None without one."""
        columns = [self.speedups[arm.name] for arm in self._fixed]
        if not columns:
            return None
        return self._over_kinds([max(each) for each in zip(*columns, strict=True)])

    @property
    def _fixed(self) -> list[Arm]:
        return [arm for arm in self.arms if arm.is_fixed]

    def _over_kinds(self, speedups: Sequence[float]) -> float:
        return geometric_mean([self._mean(speedups, kind) for kind in self.kinds])

    def _mean(self, speedups: Sequence[float], category: str) -> float:
        pairs = zip(self.categories, speedups, strict=True)
        return geometric_mean([speedup for kind, speedup in pairs if kind == category])
