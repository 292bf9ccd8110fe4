"""A pair is loaded as it was asked for, or with less where memory runs out."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from localspec.backends.attempt import Attempt
from localspec.backends.attempt_store import AttemptStore
from localspec.backends.interface import LoadRequest
from localspec.backends.ladder import Rung, given_up, next_rung
from localspec.backends.pair_files import PairFacts
from localspec.backends.pair_models import PairModels
from localspec.chat.events import Event, Notice
from localspec.errors import LocalspecError, OutOfMemory

RETRY = "To try again: load it anew (F5 in the chat), with a smaller --ctx or --draft-gpu-layers 0."
_EARLIER = "there was too little memory for it at an earlier load"


def no_draft_notice(reason: str, hint: str = RETRY) -> Notice:
    return Notice(f"No draft model: {reason}. {hint}".strip())


class Descent:
    """One load; what was given up is said, and remembered for this machine."""

    def __init__(
        self, request: LoadRequest, facts: PairFacts, models: PairModels, store: AttemptStore
    ) -> None:
        self._request = request
        self._facts = facts
        self._models = models
        self._store = store
        self._n_layer = facts.target.n_layer or 0
        self._fitted_ctx = 0
        """The largest context that the target had room for."""
        self.no_draft_reason = ""
        """Why the draft that was wanted is not there; empty if it is."""

    def run(self, first: Attempt) -> Generator[Event, None, None]:
        """Raises OutOfMemory when nothing is left to give up, and what else the target's load
        raises. A draft is never the reason."""
        attempt, kept = first, None if self._request.fresh else self._store.load()
        if kept is not None and _is_allowed(kept, first):
            attempt = kept
            if kept.target.num_layers(self._n_layer) > first.target.num_layers(self._n_layer):
                # Less memory is free now than it was then.
                attempt = replace(kept, target=first.target)
            if attempt.draft is None and first.draft is not None:
                self.no_draft_reason = _EARLIER
            if words := ", ".join(given_up(first, attempt, self._n_layer)):
                yield Notice(f"As at an earlier load, for want of memory: {words}. {_AGAIN}")
        while True:
            try:
                yield from self._load(attempt)
                break
            except OutOfMemory as error:
                rung = self._next(first, attempt, error)
                attempt = rung.attempt
                yield self._said(rung, error)
        if attempt == first:
            self._store.forget()
        elif attempt != kept:
            self._store.save(attempt)

    def _load(self, attempt: Attempt) -> Generator[Event, None, None]:
        _, target = yield from self._models.load_target(attempt, self._facts.target)
        self._fitted_ctx = max(self._fitted_ctx, attempt.n_ctx)
        draft = self._facts.draft
        if draft is None or attempt.draft is None or target.memory_kind == "none":
            return
        try:
            yield from self._models.load_draft(attempt, draft)
        except OutOfMemory:
            raise
        except LocalspecError as error:
            self._models.drop_draft()
            yield self.no_draft(f"the draft could not be loaded: {error.message.rstrip('.')}")

    def no_draft(self, reason: str) -> Notice:
        self.no_draft_reason = reason
        return no_draft_notice(reason)

    def _next(self, first: Attempt, attempt: Attempt, error: OutOfMemory) -> Rung:
        """The models that are in the way of the next attempt are freed when that is made."""
        failed, chosen = self._models.making, self._request.chosen
        rung = next_rung(attempt, failed, self._n_layer, self._fitted_ctx, chosen)
        if rung is not None:
            return rung
        tried = ", ".join(given_up(first, attempt, self._n_layer))
        if not tried:
            raise error
        hint = "Close other programs, or take a smaller quantisation or model."
        raise OutOfMemory(
            f"{error.message} {tried[0].upper()}{tried[1:]} did not help.", hint
        ) from None

    def _said(self, rung: Rung, error: OutOfMemory) -> Notice:
        reason = error.message.rstrip(".")
        if rung.attempt.draft is None and self._models.making.model == "draft":
            return self.no_draft(f"the draft could not be loaded: {reason}")
        asked = [name for name in rung.settings if name in self._request.chosen]
        although = f", although {asked[0]} was set" if asked else ""
        return Notice(f"Too little memory: {reason}. Trying {rung.words}{although}.")


_AGAIN = "--fresh tries everything again."


def _is_allowed(kept: Attempt, first: Attempt) -> bool:
    """A kept attempt that takes nothing that this load may not."""
    draft = kept.draft.devices if kept.draft else ()
    return (
        kept != first
        and kept.n_ctx <= first.n_ctx
        and kept.target.devices in ((), first.target.devices)
        and (kept.draft is None or first.draft is not None)
        and draft in ((), first.draft.devices if first.draft else ())
    )
