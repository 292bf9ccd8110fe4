"""What the next reply is made with. Changed between turns; only the context needs a new load."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from localspec.backends.interface import ReplyRequest
from localspec.backends.sampling import sampling_params
from localspec.engine.params import SamplingParams
from localspec.errors import UsageError
from localspec.settings import DEFAULT_CTX, MAX_DRAFT_TOKENS, Settings, SpecMode, present_name
from localspec.tui.handed import Handed

LEAST_CTX, MOST_CTX = 256, 1 << 24
_AUTO = ("", "auto", "none")

SAMPLING: dict[str, tuple[Callable[[str], Any], str]] = {
    "temperature": (float, "0 is greedy, up to 10"),
    "top_k": (int, "keep the K likeliest tokens; 0 keeps all"),
    "top_p": (float, "keep this share of probability"),
    "min_p": (float, "drop what is under this share of the likeliest"),
    "repeat_penalty": (float, "above 1: tokens that were there are less likely"),
    "presence_penalty": (float, "taken off tokens that were there"),
    "frequency_penalty": (float, "the same for every time"),
    "repeat_last_n": (int, "tokens that penalties look at; -1: all"),
    "max_tokens": (int, "the longest reply; none: up to the context"),
}
"""Fields of the sampling that can be set on the screen: what they are read as, and mean."""
_OPTIONAL = "max_tokens"
SPECULATION = {
    "spec": f"where drafts come from: {', '.join(get_args(SpecMode))}",
    "num_draft_tokens": f"tokens drafted in a round, 1 to {MAX_DRAFT_TOKENS}; auto: what pays",
}
CONTEXT = {"ctx": "tokens; another number loads the model again"}


@dataclass(slots=True)
class Options:
    """Starts from the settings in force."""

    spec: SpecMode
    num_draft_tokens: int | None
    sampling: SamplingParams
    last_spec: SpecMode = "auto"
    """What `toggle_spec` goes back to."""
    handed: Handed = field(default_factory=Handed)
    """Files for the next message."""
    ctx: int | None = None
    """Tokens of context at the next load; None is what the settings say."""
    settings_ctx: int = DEFAULT_CTX

    @classmethod
    def of(cls, settings: Settings) -> Options:
        last = settings.spec if settings.spec != "off" else "auto"
        return cls(
            settings.spec,
            settings.num_draft_tokens,
            sampling_params(settings),
            last,
            settings_ctx=settings.ctx,
        )

    def request(self) -> ReplyRequest:
        """Every reply has a seed of its own: asking again gives another answer."""
        sampling = replace(self.sampling, seed=secrets.randbelow(2**31))
        predict = self.handed.take_predicted()
        return ReplyRequest(sampling, self.spec, self.num_draft_tokens, predict=predict)

    @property
    def texts(self) -> dict[str, str]:
        """Every field as the user would write it."""
        values: dict[str, Any] = {name: getattr(self.sampling, name) for name in SAMPLING}
        values |= {"spec": self.spec, "num_draft_tokens": self.num_draft_tokens}
        values["ctx"] = self.ctx or self.settings_ctx
        absent = {"max_tokens": "none", "num_draft_tokens": "auto"}
        return {
            name: absent[name] if value is None else str(value).removesuffix(".0")
            for name, value in values.items()
        }

    def apply(self, texts: Mapping[str, str]) -> bool:
        """Set these fields, all or none; True if the model must be loaded again. Raises
        UsageError."""
        new = {name: _number(name, texts[name]) for name in SAMPLING if name in texts}
        sampling = replace(self.sampling, **new)
        spec = _mode(texts.get("spec", self.spec))
        num = self.num_draft_tokens
        if "num_draft_tokens" in texts:
            num = _draft_tokens(texts["num_draft_tokens"])
        ctx = _ctx(texts["ctx"]) if "ctx" in texts else self.ctx
        before = self.ctx or self.settings_ctx
        self.sampling, self.num_draft_tokens, self.ctx = sampling, num, ctx
        self.spec = spec
        if spec != "off":
            self.last_spec = spec
        return (ctx or self.settings_ctx) != before

    def toggle_spec(self, draft_refused: bool = False) -> None:
        """Away from what is in force: with a refused draft, `draft` is off already."""
        if draft_refused and self.spec == "draft":
            self.spec = self.last_spec = "auto"
        else:
            self.spec = self.last_spec if self.spec == "off" else "off"


def _number(name: str, text: str) -> Any:
    kind, _ = SAMPLING[name]
    if name == _OPTIONAL and text.strip().lower() in _AUTO:
        return None
    try:
        return kind(text)
    except ValueError:
        what = "a number" if kind is float else "a whole number"
        raise UsageError(f"{name} must be {what}, not {text or 'nothing'}.") from None


def _mode(text: str) -> SpecMode:
    modes, mode = get_args(SpecMode), present_name(text.strip())
    if mode not in modes:
        raise UsageError(f"Speculation can be {', '.join(modes)}, not {text or 'nothing'}.")
    return mode  # type: ignore[no-any-return]


def _draft_tokens(text: str) -> int | None:
    if text.strip().lower() in _AUTO:
        return None
    if text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= MAX_DRAFT_TOKENS:
        return int(text)
    raise UsageError(
        f"The draft's length must be auto or a number from 1 to {MAX_DRAFT_TOKENS}, not {text}."
    )


def _ctx(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 9 and LEAST_CTX <= int(text) <= MOST_CTX:
        return int(text)
    raise UsageError(f"The context must be {LEAST_CTX} to {MOST_CTX:,} tokens, not {text}.")
