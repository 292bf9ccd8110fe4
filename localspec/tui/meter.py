"""The numbers of the running reply."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from localspec.chat.events import Burst
from localspec.engine.interface import Prefill
from localspec.engine.stats import PlainSpeed, RecentRate, Stats

Clock = Callable[[], float]

NUM_BURSTS = 8
"""The newest ones are shown."""


class Meter:
    """Counts one reply. `engine/stats.py` says what every number means."""

    def __init__(self, plain: PlainSpeed | None = None) -> None:
        """`plain` is of the conversation, and learns from this reply."""
        self.stats = Stats()
        self.plain = plain or PlainSpeed()
        self.bursts: deque[int] = deque(maxlen=NUM_BURSTS)
        """Tokens of the newest rounds."""
        self.draft_length = 0
        """Tokens that the newest round tested."""
        self.source = ""
        """Who drafted last."""
        self._recent = RecentRate()

    def observe_prefill(self, prefill: Prefill) -> None:
        self.stats.observe_prefill(prefill.elapsed_s)
        if prefill.model == "target":
            # The prompt's last token is read by the first round.
            self.stats.num_prompt_tokens = prefill.num_total + 1
            self.stats.num_cached_tokens = prefill.num_cached

    def observe(self, burst: Burst, at: float) -> None:
        """Count a burst that arrived at `at`."""
        round_ = burst.round
        self.stats.observe(round_, burst.elapsed_s)
        self.plain.observe(round_, burst.elapsed_s)
        self._recent.observe(len(round_.tokens), burst.elapsed_s, at)
        self.bursts.append(len(round_.tokens))
        self.draft_length = round_.num_drafted
        self.source = round_.source or self.source

    def rate(self, now: float) -> float | None:
        """Tokens per second over the last second; None before the first burst."""
        return self._recent.at(now)

    @property
    def speedup(self) -> float | None:
        return self.plain.speedup(self.stats)

    @property
    def num_context_tokens(self) -> int:
        return self.stats.num_prompt_tokens + self.stats.num_tokens
