"""What to give up when memory runs out at load, a rung at a time.

Each rung takes something away that is never given back, so the way down ends.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Literal

from localspec.backends.attempt import Attempt
from localspec.llama.offload import Offload

MIN_CTX = 2048
"""A smaller context is no chat; below it other things are given up."""
_CTX_STEP = 256
_SHARES = (0.75, 0.5, 0.25, 0.0)
"""Of the target's layers, those that stay on devices."""


@dataclass(frozen=True, slots=True)
class Part:
    """What was being made when memory ran out."""

    model: Literal["target", "draft"]
    kind: Literal["weights", "context"]


@dataclass(frozen=True, slots=True)
class Rung:
    """The next attempt."""

    what: Literal["context", "draft", "layers"]
    attempt: Attempt
    words: str
    """What is given up, as `a context of 4096 tokens`."""
    settings: tuple[str, ...]
    """What of the user's choice it overrides, if it was chosen."""


def next_rung(attempt: Attempt, failed: Part, n_layer: int, chosen: Set[str]) -> Rung | None:
    """The first that can help and overrides nothing that the user chose, else the first that can
    help; None at the end. `n_layer` is the target's."""
    rungs = list(_rungs(attempt, failed, n_layer))
    rungs.sort(key=lambda rung: not chosen.isdisjoint(rung.settings))
    return rungs[0] if rungs else None


def _rungs(attempt: Attempt, failed: Part, n_layer: int) -> list[Rung]:
    """By what they cost the user, the least first."""
    of_draft = failed.model == "draft" and attempt.draft is not None
    rungs: list[Rung | None] = []
    # Weights of a target that is alone in memory don't shrink with the context.
    if of_draft or failed.kind == "context":
        rungs.append(_smaller_context(attempt))
    if of_draft:
        rungs += [_draft_on_cpu(attempt), _no_draft(attempt)]
    else:
        rungs.append(_fewer_layers(attempt, n_layer))
    return [rung for rung in rungs if rung is not None]


def _smaller_context(attempt: Attempt) -> Rung | None:
    if attempt.n_ctx <= MIN_CTX:
        return None
    n_ctx = max(MIN_CTX, attempt.n_ctx // 2 // _CTX_STEP * _CTX_STEP)
    smaller = replace(attempt, n_ctx=n_ctx)
    return Rung("context", smaller, f"a context of {n_ctx} tokens", ("ctx",))


def _draft_on_cpu(attempt: Attempt) -> Rung | None:
    if attempt.draft is None or attempt.draft.on_cpu:
        return None
    moved = replace(attempt, draft=Offload())
    return Rung("draft", moved, "the draft on the CPU", ("draft_gpu_layers", "draft_device"))


def _no_draft(attempt: Attempt) -> Rung:
    return Rung("draft", replace(attempt, draft=None), "no draft model", ())


def _fewer_layers(attempt: Attempt, n_layer: int) -> Rung | None:
    target = attempt.target
    now = target.num_layers(n_layer)
    fewer = next((n for share in _SHARES if (n := int((n_layer + 1) * share)) < now), None)
    if fewer is None:
        return None
    where = f"{fewer} of {n_layer + 1} layers on {'+'.join(target.devices)}"
    words = where if fewer else "the target on the CPU"
    moved = replace(attempt, target=replace(target, layers=fewer) if fewer else Offload())
    return Rung("layers", moved, words, ("gpu_layers", "device"))
