"""How a reply's tokens are drawn: every option, and its range."""

from __future__ import annotations

import math
from dataclasses import dataclass

from localspec.errors import UsageError

MAX_BIAS = 1e9
"""A larger bias would leave float32 in the sum with a logit."""


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is drawn. Raises UsageError on a value out of range."""

    temperature: float = 0.7
    """0 is greedy."""
    top_k: int = 40
    """0 keeps all."""
    top_p: float = 0.95
    min_p: float = 0.05
    seed: int = 0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    """Strings that end the reply; they are not part of it."""
    repeat_penalty: float = 1.0
    """Divides the positive logit of a token that was there already, multiplies a negative one."""
    presence_penalty: float = 0.0
    """Taken once off the logit of a token that was there already."""
    frequency_penalty: float = 0.0
    """Taken off once for every time that the token was there."""
    repeat_last_n: int = 64
    """How far back penalties look, prompt included; 0: nowhere, -1: to the start."""
    logit_bias: tuple[tuple[int, float], ...] = ()
    """Ids with what is added to their logits; -inf bans one."""
    grammar: str = ""
    """GBNF that the reply follows."""
    json_schema: str = ""
    """A JSON schema that the reply follows, instead of a grammar."""

    def __post_init__(self) -> None:
        rules = {
            f"temperature must be between 0 and 10, not {self.temperature}.": (
                0.0 <= self.temperature <= 10.0
            ),
            f"top-k must be 0 or more, not {self.top_k}.": self.top_k >= 0,
            f"top-p must be above 0 and at most 1, not {self.top_p}.": 0.0 < self.top_p <= 1.0,
            f"min-p must be between 0 and 1, not {self.min_p}.": 0.0 <= self.min_p <= 1.0,
            f"seed must be 0 or more, not {self.seed}.": self.seed >= 0,
            f"max-tokens must be 1 or more, not {self.max_tokens}.": (
                self.max_tokens is None or self.max_tokens >= 1
            ),
            "a stop string must not be empty.": all(self.stop),
            f"repeat-penalty must be above 0 and at most 10, not {self.repeat_penalty}.": (
                0.0 < self.repeat_penalty <= 10.0
            ),
            f"presence-penalty must be between -100 and 100, not {self.presence_penalty}.": (
                -100.0 <= self.presence_penalty <= 100.0
            ),
            f"frequency-penalty must be between -100 and 100, not {self.frequency_penalty}.": (
                -100.0 <= self.frequency_penalty <= 100.0
            ),
            f"repeat-last-n must be -1 or more, not {self.repeat_last_n}.": (
                self.repeat_last_n >= -1
            ),
            "a reply must not have both a grammar and a JSON schema.": (
                not (self.grammar and self.json_schema)
            ),
        }
        for sentence, holds in rules.items():
            if not holds:
                raise UsageError(sentence)
        self._check_biases()

    def _check_biases(self) -> None:
        seen: set[int] = set()
        for token, bias in self.logit_bias:
            if token < 0:
                raise UsageError(f"a logit bias must be for an id from 0, not {token}.")
            if token in seen:
                raise UsageError(f"token {token} must not have two logit biases.")
            if not (abs(bias) <= MAX_BIAS or bias == -math.inf):
                raise UsageError(
                    f"a logit bias must be a number up to {MAX_BIAS:.0e}, or -inf, not {bias}."
                )
            seen.add(token)

    @property
    def penalises(self) -> bool:
        """Whether any penalty has an effect."""
        neutral = (1.0, 0.0, 0.0)
        given = (self.repeat_penalty, self.presence_penalty, self.frequency_penalty)
        return self.repeat_last_n != 0 and given != neutral

    def check_ids(self, n_vocab: int) -> None:
        """Raises UsageError when a logit bias is for an id that the model doesn't have."""
        for token, _ in self.logit_bias:
            if token >= n_vocab:
                raise UsageError(
                    f"a logit bias must be for one of the model's {n_vocab} ids, not {token}."
                )
