"""What a draft may gain: from the costs of passes, and a guess of how often it is right.

Passes are timed on this machine where the very pair was loaded before. Else a draft's step costs
what its bytes are of the target's, since decoding one token is bound by reading the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Literal

from localspec.engine.costs import CostTable
from localspec.engine.rules import MAX_MODEL_GUESSES
from localspec.engine.worth import LEAST_GAIN, can_pay, speedups
from localspec.settings import MAX_DRAFT_TOKENS

Shape = Mapping[int, float]
"""What a target's pass of n tokens costs, against one of a single token."""
Kinship = Literal["paired", "family", "stranger"]
"""The catalog's pair or another size of the same make; the same architecture; neither."""

MEMORY_BOUND: Shape = {1: 1.0, 8: 1.1, 16: 1.3, 33: 1.9}
"""As on a GPU, whose time goes into reading weights."""
_STEP_OVERHEAD = 1.2
"""A small model uses memory worse: measured 1.03 and 1.18 times its share of the bytes."""

_ANCHOR_RATE, _ANCHOR_SHARE = 0.80, 0.32
"""Measured: Qwen2.5-Coder 0.5B for 1.5B, sampled at temperature 0.8 (greedy it is 0.86)."""
_RATE_PER_DECADE = 0.073
"""What ten times the parameters add. LaMDA 137B took 0.61, 0.71 and 0.75 of the guesses of its
100M, 2B and 8B (Leviathan et al. 2023, table 3); the line through them meets our 0.80."""
_ASSUMED_LOSS: Mapping[Kinship, float] = {"paired": 0.0, "family": 0.05, "stranger": 0.15}
"""Not measured: other training data agree less."""
_BOUNDS = 0.3, 0.85


@dataclass(frozen=True, slots=True)
class Machine:
    """What is known of the costs here."""

    shape: Shape
    shape_from: str
    """In words, for whoever reads an estimate."""
    timed: Callable[[Path, Path], CostTable | None]
    """The costs of two files, target and draft, if they ran here before."""


ANY_MACHINE = Machine(MEMORY_BOUND, "a GPU's typical costs", lambda target, draft: None)


@dataclass(frozen=True, slots=True)
class Gain:
    """By the best fixed number of guesses a round."""

    speedup: float
    """Tokens per second with the draft, against without."""
    num_draft_tokens: int
    acceptance: float
    """The guess that it rests on."""
    is_measured: bool
    """Whether the passes were timed here; the acceptance is a guess in any case."""
    can_pay: bool
    """Whether a text that suits the draft well would gain."""

    @property
    def pays(self) -> bool:
        return self.speedup >= LEAST_GAIN


def acceptance_guess(share: float | None, kinship: Kinship) -> float:
    """By the draft's share of the target's parameters; None: unknown, so a small one."""
    share = min(max(share or 0.02, 1e-4), 1.0)
    rate = _ANCHOR_RATE + _RATE_PER_DECADE * log10(share / _ANCHOR_SHARE)
    return min(max(rate - _ASSUMED_LOSS[kinship], _BOUNDS[0]), _BOUNDS[1])


def estimated_costs(ratio: float, shape: Shape) -> CostTable:
    """In units of a target's pass of one token; `ratio` is of the bytes that a pass reads."""
    return CostTable(shape, {1: ratio * _STEP_OVERHEAD}, MAX_DRAFT_TOKENS + 1)


def expected_gain(costs: CostTable, acceptance: float, *, is_measured: bool) -> Gain:
    """`costs` has a draft."""
    by_length = speedups(costs, acceptance, MAX_MODEL_GUESSES)
    best = int(by_length.argmax())
    return Gain(
        speedup=float(by_length[best]),
        num_draft_tokens=best + 1,
        acceptance=acceptance,
        is_measured=is_measured,
        can_pay=can_pay(costs, MAX_MODEL_GUESSES),
    )
