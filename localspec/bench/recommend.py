"""The pairs of the catalog that suit a machine best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from localspec.backends import cost_store
from localspec.bench.expected_speed import Speed, expected_speed, speed_of
from localspec.errors import LocalspecError
from localspec.models import catalog, store
from localspec.models.candidates import candidates_of
from localspec.models.catalog.entries import Pair
from localspec.models.fit_verdict import usual_quant
from localspec.models.placement import MemoryOf, Placement
from localspec.models.placing import plan
from localspec.models.quants import quality

COMFORTABLE = 8.0
"""Tokens a second: faster than one reads."""
NUM_SHOWN = 3
_ALIKE = 1.25


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One pair, and what to expect of it."""

    name: str
    quant: str
    reason: str
    """Why this quantisation, as a clause."""
    parameters_b: float
    """Billions."""
    active_b: float
    """Of those, what one token's pass reads."""
    has_draft: bool
    download: int
    """Bytes; 0 when the pair is on this disk."""
    gated: bool
    placement: Placement
    num_layers: int
    """Of the target, with its output."""
    speed: Speed

    @property
    def strength(self) -> float:
        """Parameters that a model answers like: of a mixture the geometric mean of all and those
        that are active."""
        return sqrt(self.parameters_b * self.active_b)


def recommend(
    devices: Sequence[MemoryOf], bandwidths: Mapping[str, float], here: bool
) -> list[Recommendation]:
    """The best first, see `best_of`. `here` says whether the devices are this machine's, whose own
    measurements count then."""
    found = [
        each
        for pair in catalog.pairs()
        if (each := _weighed(pair, devices, bandwidths, here)) is not None
    ]
    return best_of(found)


def best_of(found: Iterable[Recommendation]) -> list[Recommendation]:
    """At most three. Of what writes 8 tokens a second the strongest, where those within a quarter
    of each other count as equally strong, and of these the better quantisation, then the fastest;
    where nothing is that fast, the fastest of all."""
    everything = list(found)
    fast = [each for each in everything if each.speed.best >= COMFORTABLE]

    def rank(each: Recommendation) -> tuple[float, ...]:
        if not fast:
            return (-each.speed.best,)
        step = round(log(each.strength) / log(_ALIKE))
        return (-step, -quality(each.quant), -each.speed.best)

    return sorted(fast or everything, key=rank)[:NUM_SHOWN]


def _weighed(
    pair: Pair, devices: Sequence[MemoryOf], bandwidths: Mapping[str, float], here: bool
) -> Recommendation | None:
    try:
        candidates = candidates_of(pair.name)
    except LocalspecError:
        return None
    if candidates is None or pair.target.params_b is None:
        return None
    choice = usual_quant(candidates, devices)
    chosen, reason = choice.candidate, choice.reason
    placement = plan(chosen.memory, candidates.draft, devices, chosen.memory.usual_ctx)
    if not placement.fits:
        return None
    known = _measured(pair.name) if here else None
    speed = known or expected_speed(
        chosen.memory, chosen.quant, candidates.draft, placement, bandwidths
    )
    on_disk = chosen.origin == "disk"
    return Recommendation(
        name=pair.name,
        quant=chosen.quant,
        reason=reason,
        parameters_b=pair.target.params_b,
        active_b=pair.target.active_b or pair.target.params_b,
        has_draft=candidates.draft is not None,
        download=0 if on_disk else chosen.file_bytes + candidates.draft_bytes,
        gated=pair.gated,
        placement=placement,
        num_layers=chosen.memory.num_layers,
        speed=speed,
    )


def _measured(name: str) -> Speed | None:
    """By what loading the pair has found out, if it ever was loaded here."""
    try:
        pair = store.resolve(name)
        costs = cost_store.latest(pair.target, pair.draft)
    except (LocalspecError, OSError):
        return None
    return None if costs is None else speed_of(costs, measured=True)
