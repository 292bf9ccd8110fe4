"""One measured reply: from cleared caches, with the same prompt, seed and limits for every arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from localspec.backends.loading import LoadedPair
from localspec.backends.sources import NO_TEXTS, Texts
from localspec.chat.events import Burst, Event, Finished
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError
from localspec.settings import MAX_DRAFT_TOKENS, SpecMode, present_name

_WARM_UP_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to make the reply."""

    name: str
    spec: SpecMode
    num_draft_tokens: int | None = None


def parse_arm(text: str) -> Arm:
    """A mode of `--spec`, with `:K` for another draft length. Raises UsageError."""
    name, _, number = text.strip().partition(":")
    spec = present_name(name)
    if spec not in get_args(SpecMode) or (number and not (number.isascii() and number.isdecimal())):
        modes = ", ".join(get_args(SpecMode))
        raise UsageError(f"{text!r} is not an arm.", f"Use {modes}; draft:K drafts K tokens.")
    k = int(number) if number else None
    if k is not None and not 1 <= k <= MAX_DRAFT_TOKENS:
        raise UsageError(f"{text!r}: draft 1 to {MAX_DRAFT_TOKENS} tokens.")
    return Arm(text.strip(), spec, None if spec == "off" else k)


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
