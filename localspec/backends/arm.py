"""One measured reply: from cleared caches, with the same prompt, seed and limits for every arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from localspec.backends.loading import LoadedPair
from localspec.backends.sources import NO_TEXTS, Texts
from localspec.chat.events import Burst, Event, Finished
from localspec.engine.sampling import SamplingParams
from localspec.settings import SpecMode

_WARM_UP_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to make the reply."""

    name: str
    spec: SpecMode
    num_draft_tokens: int | None = None
    """None lets localspec decide."""

    @property
    def is_fixed(self) -> bool:
        """Whether it drafts the same number of tokens in every round: none, or K by the model."""
        fixed_draft = self.spec == "draft" and self.num_draft_tokens is not None
        return self.spec == "off" or fixed_draft


def measure(
    pair: LoadedPair,
    prompt: Sequence[int],
    sampling: SamplingParams,
    arm: Arm,
    texts: Texts = NO_TEXTS,
) -> Iterator[Event]:
    """Yield the reply's events; the caches are emptied before."""
    speculation = pair.speculation(arm.spec, arm.num_draft_tokens, sampling.temperature, texts)
    pair.clear()
    yield from pair.session.reply(prompt, sampling, speculation, pair.load_s)


def warm_up(
    pair: LoadedPair, prompt: Sequence[int], sampling: SamplingParams, arms: Sequence[Arm]
) -> Iterator[Event]:
    """A short reply by each arm: pages, buffers and graphs are in place before any clock runs."""
    for arm in arms:
        yield from measure(pair, prompt, replace(sampling, max_tokens=_WARM_UP_TOKENS), arm)


def final(event: Event) -> Finished | None:
    return event if isinstance(event, Finished) else None


def tokens_of(event: Event) -> int:
    return len(event.round.tokens) if isinstance(event, Burst) else 0
