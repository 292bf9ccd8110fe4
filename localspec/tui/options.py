"""What the next reply is made with. Changed between turns, without loading anything."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import get_args

from localspec.backends.interface import ReplyRequest
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError
from localspec.settings import Settings, SpecMode


@dataclass(slots=True)
class Options:
    """Starts from the settings in force."""

    spec: SpecMode
    num_draft_tokens: int | None
    sampling: SamplingParams
    last_spec: SpecMode = "auto"
    """What `toggle_spec` goes back to."""

    @classmethod
    def of(cls, settings: Settings) -> Options:
        sampling = SamplingParams(
            temperature=settings.temperature,
            top_k=settings.top_k,
            top_p=settings.top_p,
            min_p=settings.min_p,
            max_tokens=settings.max_tokens,
        )
        last = settings.spec if settings.spec != "off" else "auto"
        return cls(settings.spec, settings.num_draft_tokens, sampling, last)

    def request(self) -> ReplyRequest:
        """Every reply has a seed of its own: asking again gives another answer."""
        sampling = replace(self.sampling, seed=secrets.randbelow(2**31))
        return ReplyRequest(sampling, self.spec, self.num_draft_tokens)

    def set_spec(self, text: str) -> None:
        """Raises UsageError."""
        modes = get_args(SpecMode)
        if text not in modes:
            raise UsageError(f"/spec takes {', '.join(modes)}, not {text}.")
        self.spec = text  # type: ignore[assignment]
        if self.spec != "off":
            self.last_spec = self.spec

    def toggle_spec(self, draft_refused: bool = False) -> None:
        """Away from what is in force: with a refused draft, `draft` is off already."""
        if draft_refused and self.spec == "draft":
            self.spec = self.last_spec = "auto"
        else:
            self.spec = self.last_spec if self.spec == "off" else "off"

    def set_temperature(self, text: str) -> None:
        """Raises UsageError."""
        try:
            temperature = float(text)
        except ValueError:
            raise UsageError(f"/temp takes a number from 0 to 10, not {text}.")
        self.sampling = replace(self.sampling, temperature=temperature)
