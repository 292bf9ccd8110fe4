"""One measured reply: from cleared caches, with the same prompt, seed and limits for every arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from localspec.backends.loading import LoadedPair
from localspec.chat.events import Burst, Event, Finished
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError
from localspec.settings import MAX_DRAFT_TOKENS, SpecMode

_WARM_UP_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to make the reply."""

    name: str
    spec: SpecMode
    num_draft_tokens: int | None = None


def parse_arm(text: str) -> Arm:
    """`off`, `draft`, `suffix` or `auto`, with `:K` for another draft length. Raises UsageError."""
    spec, _, number = text.strip().partition(":")
    if spec not in ("off", "draft", "suffix", "auto") or (
        number and not (number.isascii() and number.isdecimal())
    ):
        raise UsageError(f"{text!r} is not an arm.", "Use off, draft:K, suffix:K or auto.")
    k = int(number) if number else None
    if k is not None and not 1 <= k <= MAX_DRAFT_TOKENS:
        raise UsageError(f"{text!r}: draft 1 to {MAX_DRAFT_TOKENS} tokens.")
    return Arm(text.strip(), spec, None if spec == "off" else k)  # type: ignore[arg-type]


def measure(
    pair: LoadedPair, prompt: Sequence[int], sampling: SamplingParams, arm: Arm
) -> Iterator[Event]:
    """Yield the reply's events; the caches are emptied before."""
    speculation = pair.speculation(arm.spec, arm.num_draft_tokens, sampling.temperature)
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
