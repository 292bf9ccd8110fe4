"""One way of loading a pair: the context, and what goes where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from localspec.llama.offload import Offload

_MOST_LAYERS = 10_000


@dataclass(frozen=True, slots=True)
class Attempt:
    """Plain values, so that one that worked can be kept."""

    n_ctx: int
    """Tokens of context, of both models."""
    target: Offload
    draft: Offload | None
    """None: the draft is not loaded."""

    def report(self) -> dict[str, Any]:
        """In JSON's types."""
        return asdict(self)


_ATTEMPT = TypeAdapter(Attempt)


def from_report(report: Any) -> Attempt:
    """Raises ValueError on what `report` can't have written."""
    attempt = _ATTEMPT.validate_python(report)
    offloads = [offload for offload in (attempt.target, attempt.draft) if offload is not None]
    if not 0 < attempt.n_ctx < 2**31 or not all(map(_is_possible, offloads)):
        raise ValueError("not an attempt that was ever made")
    return attempt


def _is_possible(offload: Offload) -> bool:
    num_shares = len(offload.tensor_split)
    return (
        -1 <= offload.layers <= _MOST_LAYERS
        and -1 <= offload.cpu_experts <= _MOST_LAYERS
        and num_shares in (0, len(offload.devices))
    )
