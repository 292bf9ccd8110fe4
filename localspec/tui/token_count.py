"""How many tokens a text has, by the model where it can say."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from localspec.tui.link import Link
from localspec.tui.talk import Phase, Talk

_KEPT = 16
_BYTES_A_TOKEN = 4
"""Of code and of English prose, about."""


@dataclass(frozen=True, slots=True)
class Count:
    number: int
    is_exact: bool = True

    def __str__(self) -> str:
        words = f"{self.number:,} token{'' if self.number == 1 else 's'}"
        return words if self.is_exact else f"~{words}"


class TokenCount:
    """Exact counts of the newest texts are kept."""

    def __init__(self, link: Link, talk: Talk) -> None:
        self._link = link
        self._talk = talk
        self._known: OrderedDict[tuple[str, str], int] = OrderedDict()

    async def of(self, text: str) -> Count:
        """An estimate while the model is busy, or not there."""
        key = (self._talk.model, text)
        if key not in self._known and self._talk.phase is Phase.READY:
            number = await asyncio.to_thread(self._link.count_tokens, text)
            if number is not None:
                self._known[key] = number
        if key in self._known:
            self._known.move_to_end(key)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return Count(self._known[key])
        num_bytes = len(text.encode("utf-8", "replace"))
        return Count(max(1, round(num_bytes / _BYTES_A_TOKEN)), is_exact=False)

    async def excess(self, text: str) -> int | None:
        """Tokens of a text that the context can't hold, as far as they were counted; None if it
        may fit."""
        n_ctx = self._talk.ready.n_ctx if self._talk.ready else 0
        if not n_ctx or len(text) <= n_ctx // 4:
            return None
        # Megabytes need not be counted to the end.
        for part in (text[: 16 * n_ctx], text):
            count = await self.of(part)
            if count.is_exact and count.number > n_ctx:
                return count.number
            if len(part) == len(text):
                break
        return None
