"""From settings and flags to what a backend is asked for."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.sampling import sampling_params
from localspec.errors import UsageError
from localspec.settings import Settings


def layers(text: str | None) -> Any:
    """`auto`, a number, or None when the flag was not given. Raises UsageError."""
    if text is None or text == "auto":
        return text
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{text!r} is not a number of layers.", "Use auto or a number from 0.")
    return int(text)


def load_request(name: str, settings: Settings, load_draft: bool = True) -> LoadRequest:
    return LoadRequest(
        name=name,
        ctx=settings.ctx,
        gpu_layers=settings.gpu_layers,
        draft_gpu_layers=settings.draft_gpu_layers,
        device=settings.device,
        threads=settings.threads,
        load_draft=load_draft,
    )


def reply_request(
    settings: Settings,
    seed: int | None,
    stop: tuple[str, ...] = (),
    raw: bool = False,
    predict: Sequence[str] = (),
) -> ReplyRequest:
    """A seed that was not given is drawn, so that it can be shown. Raises UsageError."""
    sampling = sampling_params(settings, secrets.randbits(31) if seed is None else seed, stop)
    return ReplyRequest(sampling, settings.spec, settings.num_draft_tokens, raw, tuple(predict))
