"""From settings and flags to what a backend is asked for."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.sampling import sampling_params
from localspec.cli.placement import PLACEMENT
from localspec.settings import Settings

_LOADED = ("ctx", *PLACEMENT)
"""Settings that a LoadRequest has by the same names."""


def load_request(
    name: str, settings: Settings, load_draft: bool = True, fresh: bool = False
) -> LoadRequest:
    """`fresh` forgets what an earlier load had to give up."""
    asked = {field: getattr(settings, field) for field in _LOADED}
    chosen = frozenset(_LOADED) & settings.model_fields_set
    return LoadRequest(name=name, load_draft=load_draft, fresh=fresh, chosen=chosen, **asked)


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
