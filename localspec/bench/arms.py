"""The ways that a bench sets against each other, by their names."""

from __future__ import annotations

from typing import get_args

from localspec.backends.arm import Arm
from localspec.backends.loading import LoadedPair
from localspec.errors import UsageError
from localspec.settings import MAX_DRAFT_TOKENS, SpecMode, present_name

_DEFAULT = ("off", "draft:3", "suffix", "auto")


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
