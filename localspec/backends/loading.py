"""The composition root: a pair's name becomes models, caches, drafters and a session."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from time import perf_counter
from typing import Any, Literal

from localspec.backends.attempt_store import AttemptStore
from localspec.backends.calibration import DraftFailed
from localspec.backends.cost_store import CostStore, cost_key
from localspec.backends.descent import RETRY, Descent, no_draft_notice
from localspec.backends.interface import LoadRequest
from localspec.backends.machine import FreeMemory
from localspec.backends.memory import resident_bytes
from localspec.backends.pair_files import PairFacts, check_files
from localspec.backends.pair_models import PairModels
from localspec.backends.planning import plan_load
from localspec.backends.sources import NO_TEXTS, FreeSources, Texts
from localspec.chat.events import Event, Loading, Message, Notice, Ready
from localspec.chat.session import Session, Speculation
from localspec.chat.state import NO_DRAFT, TURNED_OFF
from localspec.chat.template import ChatTemplate
from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.engine.controller import GPU_SIZES, AdaptiveDrafter
from localspec.engine.engine import Engine
from localspec.engine.prior import Experiences
from localspec.errors import UsageError
from localspec.llama.context import LlamaDecoder
from localspec.llama.devices import physical_cores
from localspec.models import store
from localspec.models.records import Role
from localspec.settings import MAX_DRAFT_TOKENS, SpecMode

_SHOWN_BYTES = 10_000_000
"""Memory of rollbacks that is worth a notice."""


class LoadedPair:
    """Everything native of one pair, owned by the thread that made it."""

    def __init__(self, request: LoadRequest) -> None:
        self._request = request
        self.files = store.resolve(request.name)
        self.name = self.files.name
        self._models: PairModels | None = None
        self._draft: ModelSource | None = None
        self.cost_store: CostStore | None = None
        self._experiences = Experiences()
        self.off_reason = ""
        """Why no draft model can be used, if it can't."""
        self._draft_failed = False
        self._past_native_s = 0.0

    def load(self) -> Generator[Event, None, None]:
        """Yield Loading events, then Ready. Raises LocalspecError; `close` is due in any case."""
        start = perf_counter()
        self._free_memory = FreeMemory()
        facts = check_files(self.files, self._request.load_draft)
        yield from self._load_models(facts)
        yield from self._memory_notice("target", self.target)
        yield from self._make_source(facts)
        yield from self._time_passes()
        self.template = ChatTemplate(
            self.model.chat_template, self.model.bos_text, self.model.eos_text
        )
        self.session = Session(Engine(self.target), self.model, self._native_s)
        self._free = FreeSources(self.model)
        self.load_s = perf_counter() - start
        loaded: tuple[Role, ...] = ("target", "draft") if self._draft else ("target",)
        store.touch(self.name, loaded)
        yield self._ready()

    def _load_models(self, facts: PairFacts) -> Generator[Event, None, None]:
        request, pair = self._request, self.files
        plan = plan_load(request, facts)
        for sentence in plan.notices:
            yield Notice(sentence)
        self._caches = plan.caches
        self._models = models = PairModels(plan.caches, request.threads, request.rpc)
        descent = Descent(request, facts, models, AttemptStore(request, pair.target, pair.draft))
        yield from descent.run(plan.first)
        assert models.model is not None
        assert models.target is not None
        self.model, self.target = models.model, models.target
        self.off_reason = descent.no_draft_reason
        self._draft_failed = bool(descent.no_draft_reason)

    def _make_source(self, facts: PairFacts) -> Generator[Event, None, None]:
        """The source that drafts with the model, or the reason why there is none."""
        if not self._can_draft:
            self.off_reason = self.target.cannot_cut_reason
        elif self.files.draft is None:
            self.off_reason = NO_DRAFT
        elif not self._request.load_draft:
            self.off_reason = "the draft was not loaded"
        elif facts.broken_draft is not None:
            reason = facts.broken_draft.message.rstrip(".")
            yield self._no_draft(f"the draft could not be loaded: {reason}")
        elif (decoder := self.draft_decoder) is not None:
            yield from self._memory_notice("draft", decoder)
            if decoder.memory_kind == "none":
                reason = "the draft's memory can't be cut back after its guesses"
                yield self._no_draft(reason, hint="")
            else:
                self._draft = ModelSource(decoder, self.model.n_vocab, self._drop_draft)

    def _ready(self) -> Ready:
        draft = self.files.draft if self._draft else None
        return Ready(
            name=self.name,
            target=self.files.target.name,
            draft=draft.name if draft else "",
            device=self.model.placement,
            n_ctx=self.target.n_ctx,
            load_s=self.load_s,
            draft_device=self.draft_placement,
            spec_off_reason=self.off_reason,
            can_copy=self._can_draft,
            plain_pass_s=float(self.costs.target(0)[1]),
            memory_bytes=resident_bytes(),
            taken=self._free_memory.less_now(),
        )

    @property
    def draft_decoder(self) -> LlamaDecoder | None:
        return self._models.draft if self._models is not None else None

    @property
    def draft_placement(self) -> str:
        """Where the draft is, in words; empty when there is none."""
        model = self._models.draft_model if self._models is not None else None
        return model.placement if model is not None else ""

    def _drop_draft(self, reason: str) -> None:
        """Free what the draft has, and keep the reason."""
        self.off_reason = reason
        self._draft_failed = True
        if self.draft_decoder is not None:
            self._past_native_s += self.draft_decoder.native_s
        self._draft = None
        if self._models is not None:
            self._models.drop_draft()

    def _no_draft(self, reason: str, hint: str = RETRY) -> Notice:
        self._drop_draft(reason)
        return no_draft_notice(reason, hint)

    def _time_passes(self) -> Generator[Event, None, None]:
        """Also the first use of the draft, which may fail as any other."""
        yield Loading("costs", 0.0)
        try:
            self.recalibrate(anew=False)
        except DraftFailed as error:
            yield self._no_draft(f"the draft model failed: {error.message.rstrip('.')}")
            self.recalibrate(anew=False)

    def recalibrate(self, anew: bool = True) -> None:
        """Time the passes, all of them or what a known table needs; empties the caches. Raises
        NativeFailure, DraftFailed of the draft."""
        store = CostStore(self._cost_key())
        self.costs = store.measured(self.target, self.draft_decoder, anew)
        self.cost_store = store

    def _cost_key(self) -> dict[str, Any]:
        draft = self.files.draft if self.draft_decoder is not None else None
        placements = self.model.placement, self.draft_placement
        caches = str(self._caches[0]), str(self._caches[1])
        threads = self._request.threads or physical_cores()
        return cost_key(self.files.target, draft, placements, caches, threads)

    @property
    def _can_draft(self) -> bool:
        """Whether the target can go back after a rejection other than to the start."""
        return self.target.memory_kind != "none"

    def _memory_notice(
        self, role: Literal["target", "draft"], decoder: LlamaDecoder
    ) -> Generator[Event, None, None]:
        if decoder.rollback_bytes >= _SHOWN_BYTES:
            yield Notice(f"{role}: {decoder.memory_notice}")

    @property
    def has_draft(self) -> bool:
        """Whether a draft model can draft; `off_reason` says why not."""
        return self._draft is not None

    def speculation(
        self,
        spec: SpecMode,
        num_draft_tokens: int | None = None,
        temperature: float = 0.0,
        texts: Texts = NO_TEXTS,
    ) -> Speculation:
        """The drafter that `spec` names; without a number it decides for itself, round by round.

        `texts` are what the reply may repeat. Raises UsageError when it can't be honoured.
        """
        if num_draft_tokens is not None and num_draft_tokens > MAX_DRAFT_TOKENS:
            raise UsageError(f"At most {MAX_DRAFT_TOKENS} tokens can be drafted at once.")
        if spec == "draft" and self._draft is None and not self._draft_failed:
            raise UsageError(f"--spec draft: {self.off_reason}.", "Try --spec suffix or off.")
        if spec in ("suffix", "predicted") and not self._can_draft:
            raise UsageError(f"--spec {spec}: {self.off_reason}.", "Use --spec off.")
        if spec == "off":
            return Speculation("off", NoDrafter(), TURNED_OFF)
        if not self._can_draft or (spec == "draft" and self._draft is None):
            return Speculation("off", NoDrafter(), self.off_reason)
        model = self._draft if spec in ("auto", "draft") else None
        free = self._free.of(spec, texts)
        ends = self.model.end_tokens
        if num_draft_tokens is not None:
            # Predicted text stands behind the suffix, and is the better of the two where it is.
            source = model or free[-1]
            fixed = FixedDrafter(source, num_draft_tokens, ends)
            return Speculation(source.name, fixed, hint=self._hint)
        experience = self._experiences.at(temperature)
        sizes = GPU_SIZES if self.model.on_gpu else None
        adaptive = AdaptiveDrafter(model, free, self.costs, experience, ends, sizes=sizes)
        return Speculation(spec, adaptive, has_others=bool(free), hint=self._hint)

    def _hint(self) -> str:
        """Only a draft that failed may work when it is loaded again."""
        return RETRY if self._draft_failed else ""

    def encode(self, messages: Sequence[Message], raw: bool) -> list[int]:
        """The prompt's ids; with `raw` the last message is the prompt, control tokens and all."""
        if raw:
            return self.model.tokenize(messages[-1].content, special=True, begin=True)
        return self.template.encode(messages, self.model)

    def _native_s(self) -> float:
        draft_s = self.draft_decoder.native_s if self.draft_decoder is not None else 0.0
        return self.target.native_s + self._past_native_s + draft_s

    def clear(self) -> None:
        """Empty all caches, so that the next reply starts from nothing."""
        self.target.clear()
        self._free.clear()
        if self.draft_decoder is not None:
            self.draft_decoder.clear()

    def close(self) -> None:
        """Contexts, then models. Safe to call twice."""
        if self.cost_store is not None:
            self.cost_store.save(self.costs)
            self.cost_store = None
        self._draft = None
        if self._models is not None:
            self._models.close()
