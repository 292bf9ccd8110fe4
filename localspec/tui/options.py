"""What the next reply is made with. Changed between turns, without loading anything."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import get_args

from localspec.backends.interface import ReplyRequest
from localspec.backends.sampling import sampling_params
from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError
from localspec.settings import Settings, SpecMode, present_name
from localspec.tui.handed import Handed


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

    @classmethod
    def of(cls, settings: Settings) -> Options:
        last = settings.spec if settings.spec != "off" else "auto"
        return cls(settings.spec, settings.num_draft_tokens, sampling_params(settings), last)

    def request(self) -> ReplyRequest:
        """Every reply has a seed of its own: asking again gives another answer."""
        sampling = replace(self.sampling, seed=secrets.randbelow(2**31))
        predict = self.handed.take_predicted()
        return ReplyRequest(sampling, self.spec, self.num_draft_tokens, predict=predict)

    def set_spec(self, text: str) -> None:
        """Raises UsageError."""
        modes, text = get_args(SpecMode), present_name(text)
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
