"""A pair is loaded as it was asked for, or with less where memory runs out."""

from __future__ import annotations

from collections.abc import Generator

from localspec.backends.attempt import Attempt
from localspec.backends.attempt_store import AttemptStore
from localspec.backends.interface import LoadRequest
from localspec.backends.ladder import Rung, next_rung
from localspec.backends.pair_files import PairFacts
from localspec.backends.pair_models import PairModels
from localspec.chat.events import Event, Notice
from localspec.errors import LocalspecError, OutOfMemory

RETRY = "To try again: load it anew (F5 in the chat), with a smaller --ctx or --draft-gpu-layers 0."
_EARLIER = "there was too little memory for it at an earlier load"


class Descent:
    """One load; what was given up is said, and remembered for this machine."""

    def __init__(
        self, request: LoadRequest, facts: PairFacts, models: PairModels, store: AttemptStore
    ) -> None:
        self._request = request
        self._facts = facts
        self._models = models
        self._store = store
        self._given_up: dict[str, str] = {}
        self.no_draft_reason = ""
        """Why the draft that was wanted is not there; empty if it is."""

    def run(self, first: Attempt) -> Generator[Event, None, None]:
        """Raises OutOfMemory when nothing is left to give up, and what else the target's load
        raises. A draft is never the reason."""
        attempt = first
        kept = None if self._request.fresh else self._store.load()
        if kept is not None and _is_less(kept[0], first):
            attempt, words = kept
            if attempt.draft is None and first.draft is not None:
                self.no_draft_reason = _EARLIER
            given_up = ", ".join(words)
            yield Notice(f"As at an earlier load, for want of memory: {given_up}. {_AGAIN}")
            self._given_up = {word: word for word in words}
        known = dict(self._given_up)
        while True:
            try:
                yield from self._load(attempt)
                break
            except OutOfMemory as error:
                rung = self._next(attempt, error)
                attempt = rung.attempt
                yield self._said(rung, error)
        if not self._given_up:
            self._store.forget()
        elif self._given_up != known:
            self._store.save(attempt, list(self._given_up.values()))

    def _load(self, attempt: Attempt) -> Generator[Event, None, None]:
        _, target = yield from self._models.load_target(attempt, self._facts.target)
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

    def no_draft(self, reason: str, hint: str = RETRY) -> Notice:
        self.no_draft_reason = reason
        return Notice(f"No draft model: {reason}. {hint}".strip())

    def _next(self, attempt: Attempt, error: OutOfMemory) -> Rung:
        """The models that are in the way of the next attempt are freed with the failure."""
        n_layer = self._facts.target.n_layer or 0
        rung = next_rung(attempt, self._models.making, n_layer, self._request.chosen)
        if rung is None:
            raise self._spent(error) from None
        self._given_up[rung.what] = rung.words
        return rung

    def _said(self, rung: Rung, error: OutOfMemory) -> Notice:
        reason = error.message.rstrip(".")
        if rung.what == "draft" and rung.attempt.draft is None:
            return self.no_draft(f"the draft could not be loaded: {reason}")
        asked = [name for name in rung.settings if name in self._request.chosen]
        although = f", although {asked[0]} was set" if asked else ""
        return Notice(f"Too little memory: {reason}. Trying {rung.words}{although}.")

    def _spent(self, error: OutOfMemory) -> OutOfMemory:
        if not self._given_up:
            return error
        tried = ", ".join(self._given_up.values())
        hint = "Close other programs, or take a smaller quantisation or model."
        return OutOfMemory(f"{error.message} {tried[0].upper()}{tried[1:]} did not help.", hint)


_AGAIN = "--fresh tries everything again."


def _is_less(kept: Attempt, first: Attempt) -> bool:
    """A kept attempt that takes nothing that this load may not."""
    draft = kept.draft.devices if kept.draft else ()
    return (
        kept.n_ctx <= first.n_ctx
        and kept.target.devices in ((), first.target.devices)
        and (kept.draft is None or first.draft is not None)
        and draft in ((), first.draft.devices if first.draft else ())
    )
