"""What to give up when memory runs out at load, a rung at a time.

Where a smaller context didn't make room for the draft, moving the draft gives the context back. A
draft never comes back, nor do layers, so the way down ends.
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

    attempt: Attempt
    words: str
    """What is given up, as `a context of 4096 tokens`."""
    settings: tuple[str, ...]
    """What of the user's choice it overrides, if it was chosen."""


def next_rung(
    attempt: Attempt, failed: Part, n_layer: int, fitted_ctx: int, chosen: Set[str]
) -> Rung | None:
    """The first that can help and overrides nothing that the user chose, else the first that can
    help; None at the end. `n_layer` is the target's, `fitted_ctx` the largest context that the
    target had room for."""
    rungs = _rungs(attempt, failed, n_layer, fitted_ctx)
    rungs.sort(key=lambda rung: not chosen.isdisjoint(rung.settings))
    return rungs[0] if rungs else None


def given_up(first: Attempt, attempt: Attempt, n_layer: int) -> list[str]:
    """What `attempt` lacks, in words."""
    words = []
    if attempt.n_ctx < first.n_ctx:
        words.append(_context_words(attempt.n_ctx))
    if attempt.draft is None and first.draft is not None:
        words.append(_NO_DRAFT)
    elif attempt.draft and first.draft and attempt.draft.on_cpu and not first.draft.on_cpu:
        words.append(_DRAFT_ON_CPU)
    layers = attempt.target.num_layers(n_layer)
    if layers < first.target.num_layers(n_layer):
        words.append(_layer_words(layers, n_layer, first.target))
    return words


def _rungs(attempt: Attempt, failed: Part, n_layer: int, fitted_ctx: int) -> list[Rung]:
    """By what they cost the user, the least first."""
    of_draft = failed.model == "draft" and attempt.draft is not None
    rungs: list[Rung | None] = []
    # Weights of a target that is alone in memory don't shrink with the context.
    if of_draft or failed.kind == "context":
        rungs.append(_smaller_context(attempt))
    if of_draft:
        again = replace(attempt, n_ctx=max(attempt.n_ctx, fitted_ctx))
        rungs += [_draft_on_cpu(again), _no_draft(again)]
    else:
        rungs.append(_fewer_layers(attempt, n_layer))
    return [rung for rung in rungs if rung is not None]


def _smaller_context(attempt: Attempt) -> Rung | None:
    if attempt.n_ctx <= MIN_CTX:
        return None
    n_ctx = max(MIN_CTX, attempt.n_ctx // 2 // _CTX_STEP * _CTX_STEP)
    smaller = replace(attempt, n_ctx=n_ctx)
    return Rung(smaller, _context_words(n_ctx), ("ctx",))


def _draft_on_cpu(attempt: Attempt) -> Rung | None:
    if attempt.draft is None or attempt.draft.on_cpu:
        return None
    moved = replace(attempt, draft=Offload())
    return Rung(moved, _DRAFT_ON_CPU, ("draft_gpu_layers", "draft_device"))


def _no_draft(attempt: Attempt) -> Rung:
    return Rung(replace(attempt, draft=None), _NO_DRAFT, ())


def _fewer_layers(attempt: Attempt, n_layer: int) -> Rung | None:
    target = attempt.target
    now = target.num_layers(n_layer)
    fewer = next((n for share in _SHARES if (n := int((n_layer + 1) * share)) < now), None)
    if fewer is None:
        return None
    moved = replace(attempt, target=replace(target, layers=fewer) if fewer else Offload())
    return Rung(moved, _layer_words(fewer, n_layer, target), ("gpu_layers", "device"))


_DRAFT_ON_CPU, _NO_DRAFT = "the draft on the CPU", "no draft model"


def _context_words(n_ctx: int) -> str:
    return f"a context of {n_ctx} tokens"


def _layer_words(layers: int, n_layer: int, before: Offload) -> str:
    if layers == 0:
        return "the target on the CPU"
    return f"{layers} of {n_layer + 1} layers on {'+'.join(before.devices)}"
