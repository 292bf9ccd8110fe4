"""What a grammar says about ids; who knows the text of ids implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from localspec.engine.distribution import Ids, Mask


class Grammar(Protocol):
    """Which ids may follow. `ahead` are tokens after the committed ones that nothing keeps; any
    sequence is fine, and one that grows by a token at a time is cheap."""

    @property
    def end_tokens(self) -> frozenset[int]:
        """The ids that end a reply: allowed exactly where the grammar can end."""

    def allowed(self, ids: Ids, ahead: Sequence[int]) -> Mask:
        """Which of `ids` may follow."""

    def all_allowed(self, ahead: Sequence[int]) -> Ids:
        """Every id that may follow, ascending; none after a token that was not allowed."""

    def commit(self, tokens: Sequence[int]) -> None:
        """Move the state by committed tokens."""

    def close(self) -> None:
        """Free it. Safe to call twice."""
