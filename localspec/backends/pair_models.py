"""The native objects of a pair: weights and contexts, from one attempt to the next."""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from localspec.backends.attempt import Attempt
from localspec.backends.ladder import Part
from localspec.backends.reading import reading
from localspec.chat.events import Event
from localspec.llama.cache_types import CacheFormat
from localspec.llama.context import LlamaDecoder
from localspec.llama.model import LlamaModel
from localspec.llama.offload import Offload
from localspec.llama.weights import check_room
from localspec.models.model_file import ModelFacts
from localspec.settings import MAX_DRAFT_TOKENS


class PairModels:
    """What is loaded now. `close` is due whatever was raised; it frees contexts before models."""

    def __init__(
        self,
        caches: tuple[CacheFormat, CacheFormat],
        threads: int | None,
        rpc: tuple[str, ...],
    ) -> None:
        """`caches` are the target's and the draft's."""
        self._caches = caches
        self._threads = threads
        self._rpc = rpc
        self._target_attempt: tuple[Offload, int] | None = None
        self.model: LlamaModel | None = None
        self.target: LlamaDecoder | None = None
        self.draft_model: LlamaModel | None = None
        self.draft: LlamaDecoder | None = None
        self.making = Part("target", "weights")
        """What is being made, or could not be."""

    def load_target(
        self, attempt: Attempt, facts: ModelFacts
    ) -> Generator[Event, None, tuple[LlamaModel, LlamaDecoder]]:
        """Weights that lie where the attempt wants them are kept. Raises OutOfMemory,
        NativeFailure."""
        self._free_unlike(attempt)
        if self.model is None:
            self.making = Part("target", "weights")
            self.model = yield from self._read("target", facts, attempt.target)
        if self.target is None:
            self.making = Part("target", "context")
            self.target = LlamaDecoder(
                self.model, attempt.n_ctx, MAX_DRAFT_TOKENS + 1, self._threads, self._caches[0]
            )
        self._target_attempt = attempt.target, attempt.n_ctx
        return self.model, self.target

    def load_draft(
        self, attempt: Attempt, facts: ModelFacts
    ) -> Generator[Event, None, LlamaDecoder]:
        """Beside the target. Raises OutOfMemory, NativeFailure."""
        assert attempt.draft is not None
        self.drop_draft()
        self.making = Part("draft", "weights")
        check_room(facts.path.name, facts.file_bytes, attempt.draft)
        self.draft_model = yield from self._read("draft", facts, attempt.draft)
        self.making = Part("draft", "context")
        self.draft = LlamaDecoder(
            self.draft_model, attempt.n_ctx, 1, self._threads, self._caches[1]
        )
        return self.draft

    def _read(
        self, role: Literal["target", "draft"], facts: ModelFacts, offload: Offload
    ) -> Generator[Event, None, LlamaModel]:
        words = offload.describe(facts.n_layer or 0)
        return (yield from reading(role, facts, offload, words, self._rpc))

    def _free_unlike(self, attempt: Attempt) -> None:
        self.drop_draft()
        if self._target_attempt != (attempt.target, attempt.n_ctx) and self.target is not None:
            self.target.close()
            self.target = None
        if self.model is not None and self.model.offload != attempt.target:
            self.model.close()
            self.model = None

    def drop_draft(self) -> None:
        if self.draft is not None:
            self.draft.close()
        if self.draft_model is not None:
            self.draft_model.close()
        self.draft = self.draft_model = None

    def close(self) -> None:
        """Safe to call twice."""
        self.drop_draft()
        if self.target is not None:
            self.target.close()
        if self.model is not None:
            self.model.close()
        self.target = self.model = None
