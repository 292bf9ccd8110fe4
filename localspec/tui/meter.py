"""The numbers of the running reply."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from localspec.chat.events import Burst
from localspec.engine.interface import Prefill
from localspec.engine.stats import Stats

Clock = Callable[[], float]

_WINDOW = 1.0


class Meter:
    """Counts one reply. Every number is `Stats`', but for the rate of the last second."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._started: float | None = None
        self._arrivals: deque[tuple[float, int]] = deque()

    def observe_prefill(self, prefill: Prefill) -> None:
        if prefill.model == "target":
            # The prompt's last token is read by the first round.
            self.stats.num_prompt_tokens = prefill.num_total + 1
            self.stats.num_cached_tokens = prefill.num_cached

    def observe(self, burst: Burst, at: float) -> None:
        """Count a burst that arrived at `at`."""
        self.stats.observe(burst.round, burst.elapsed_s)
        if self._started is None:
            self._started = at - burst.elapsed_s
        self._arrivals.append((at, len(burst.round.tokens)))

    def rate(self, now: float) -> float | None:
        """Tokens per second over the last second; None before the first burst."""
        if self._started is None:
            return None
        while self._arrivals and self._arrivals[0][0] <= now - _WINDOW:
            self._arrivals.popleft()
        span = min(_WINDOW, now - self._started)
        return sum(count for _, count in self._arrivals) / span if span > 0 else None

    @property
    def num_context_tokens(self) -> int:
        return self.stats.num_prompt_tokens + self.stats.num_tokens
