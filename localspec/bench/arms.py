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
_DEFAULT = ("off", "draft:3", "suffix", "auto")


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


def parse_arm(text: str) -> Arm:
    """A mode of `--spec`, with `:K` to draft K tokens in every round. Raises UsageError."""
    given, colon, number = text.strip().partition(":")
    spec = present_name(given)
    if spec not in get_args(SpecMode):
        modes = ", ".join(get_args(SpecMode))
        raise UsageError(f"{text!r} is not an arm.", f"Use {modes}; and draft:K or suffix:K.")
    if not colon:
        return Arm(spec, spec)
    if spec == "off" or not (number.isascii() and number.isdecimal()):
        raise UsageError(f"{text!r} is not an arm.", "A number of tokens goes with draft:K.")
    if not 1 <= int(number) <= MAX_DRAFT_TOKENS:
        raise UsageError(f"{text!r}: draft 1 to {MAX_DRAFT_TOKENS} tokens.")
    return Arm(f"{spec}:{int(number)}", spec, int(number))


def parse_arms(text: str) -> list[Arm]:
    """Arms with commas between them. Raises UsageError."""
    arms = [parse_arm(each) for each in text.split(",")]
    if len({arm.name for arm in arms}) < len(arms):
        raise UsageError(f"--arms {text}: an arm is there twice.")
    return arms


def default_arms(pair: LoadedPair) -> list[Arm]:
    """Plain decoding first, then the ways that this pair has."""
    return [arm for arm in map(parse_arm, _DEFAULT) if _has(pair, arm)]


def _has(pair: LoadedPair, arm: Arm) -> bool:
    try:
        pair.speculation(arm.spec, arm.num_draft_tokens)
    except UsageError:
        return False
    return True


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
