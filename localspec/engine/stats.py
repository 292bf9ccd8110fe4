"""Every number that is shown, defined once.

Counters follow vLLM's names. The acceptance rate is accepted / tested drafts; the target's own
token (recovered or bonus) is in neither. The mean acceptance length is tokens committed in a
round that tested drafts, and counts that token. The speed-up is a reply's tokens per second over
those of plain decoding in the same conversation; see `PlainSpeed`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from localspec.engine.interface import Round


@dataclass(slots=True)
class Stats:
    """Counters of one reply; times in seconds of the engine's work, waiting consumers excluded."""

    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0
    """Prompt tokens that the cache held already."""
    num_tokens: int = 0
    """Tokens of the reply, the end token among them."""
    load_s: float = 0.0
    prefill_s: float = 0.0
    ttft_s: float = 0.0
    """From the start to the first committed token."""
    decode_s: float = 0.0
    """All rounds, whole: drafting, verifying, sampling and overhead."""
    num_rounds: int = 0
    num_drafts: int = 0
    """Rounds that tested at least one draft token."""
    num_draft_tokens: int = 0
    num_accepted_tokens: int = 0
    num_draft_round_tokens: int = 0
    """Tokens committed by the rounds that tested drafts."""
    num_accepted_tokens_per_pos: list[int] = field(default_factory=list)
    """How often the draft token at each position was accepted."""
    num_draft_tokens_per_pos: list[int] = field(default_factory=list)
    """How often one was tested there."""
    num_rounds_per_source: dict[str, int] = field(default_factory=dict)
    """Rounds by the sources of their draft, joined by a plus; plain rounds are "none"."""
    num_draft_tokens_per_source: dict[str, int] = field(default_factory=dict)
    num_accepted_tokens_per_source: dict[str, int] = field(default_factory=dict)
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    native_s: float = 0.0
    """Of `decode_s`, inside the models' passes; 0 where it wasn't measured."""

    def observe_prefill(self, elapsed_s: float) -> None:
        self.prefill_s += elapsed_s

    def observe(self, round_: Round, elapsed_s: float, native_s: float = 0.0) -> None:
        """Count one round that took `elapsed_s` seconds in all, `native_s` of them in passes."""
        if self.num_tokens == 0 and round_.tokens:
            self.ttft_s = self.prefill_s + elapsed_s
        self.num_tokens += len(round_.tokens)
        self.num_rounds += 1
        self.decode_s += elapsed_s
        self.draft_s += round_.draft_s
        self.verify_s += round_.verify_s
        self.sample_s += round_.sample_s
        self.native_s += native_s
        _count(self.num_rounds_per_source, round_.source or "none")
        if round_.num_drafted == 0:
            return
        self.num_drafts += 1
        self.num_draft_tokens += round_.num_drafted
        self.num_accepted_tokens += round_.num_accepted
        self.num_draft_round_tokens += len(round_.tokens)
        _count_positions(self.num_draft_tokens_per_pos, round_.num_drafted, round_.num_drafted)
        _count_positions(self.num_accepted_tokens_per_pos, round_.num_accepted, round_.num_drafted)
        for index, source in enumerate(round_.sources):
            _count(self.num_draft_tokens_per_source, source)
            _count(self.num_accepted_tokens_per_source, source, int(index < round_.num_accepted))

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted / tested; None when nothing was tested."""
        return self.num_accepted_tokens / self.num_draft_tokens if self.num_draft_tokens else None

    @property
    def acceptance_rates_per_pos(self) -> list[float]:
        """Accepted / tested of each position of a draft, as far as drafts went."""
        return [
            accepted / tested
            for accepted, tested in zip(
                self.num_accepted_tokens_per_pos, self.num_draft_tokens_per_pos, strict=True
            )
        ]

    @property
    def mean_acceptance_length(self) -> float | None:
        """Tokens committed per pass that tested drafts; None when none did."""
        return self.num_draft_round_tokens / self.num_drafts if self.num_drafts else None

    @property
    def mean_draft_length(self) -> float | None:
        """Draft tokens tested per round, plain rounds included; None without a round."""
        return self.num_draft_tokens / self.num_rounds if self.num_rounds else None

    @property
    def tokens_per_second(self) -> float | None:
        return self.num_tokens / self.decode_s if self.decode_s > 0 else None

    @property
    def overhead_s(self) -> float:
        """Seconds of decoding that were neither drafting, verifying nor sampling."""
        return max(0.0, self.decode_s - self.draft_s - self.verify_s - self.sample_s)

    @property
    def time_shares(self) -> dict[str, float]:
        """Parts of the time of reading the prompt and writing the reply, 1 together; empty before
        any has passed."""
        whole = self.prefill_s + self.decode_s
        if whole <= 0.0:
            return {}
        parts = {
            "prefill": self.prefill_s,
            "draft": self.draft_s,
            "verify": self.verify_s,
            "sampling": self.sample_s,
        }
        shares = {name: seconds / whole for name, seconds in parts.items()}
        return shares | {"other": max(0.0, 1.0 - sum(shares.values()))}

    @property
    def python_share(self) -> float | None:
        """Share of `decode_s` outside the models' passes, whatever was being done; None where it
        wasn't measured. `overhead_s` leaves out what drafting and sampling do in Python."""
        if not self.native_s or not self.decode_s:
            return None
        return max(0.0, 1.0 - self.native_s / self.decode_s)

    def report(self) -> dict[str, Any]:
        """All counters and rates under the names of the `--json` output."""
        return asdict(self) | {
            "tokens_per_second": self.tokens_per_second,
            "acceptance_rate": self.acceptance_rate,
            "acceptance_rates_per_pos": self.acceptance_rates_per_pos,
            "mean_acceptance_length": self.mean_acceptance_length,
            "mean_draft_length": self.mean_draft_length,
            "overhead_s": self.overhead_s,
            "python_share": self.python_share,
        }


@dataclass(slots=True)
class PlainSpeed:
    """What one model makes of a conversation without drafts, as far as that was measured.

    Rounds that tested no draft are plain decoding, whether drafting was off or did not pay; the
    time in which a draft was sought and not tested is taken off them. Until there are enough, the
    target's pass of one token counts, as it was timed when the model was loaded.
    """

    LEAST_ROUNDS: ClassVar[int] = 8

    pass_s: float = 0.0
    """Seconds of that pass; 0 if it wasn't timed."""
    num_rounds: int = 0
    seconds: float = 0.0

    def observe(self, round_: Round, elapsed_s: float) -> None:
        if round_.num_drafted == 0:
            self.num_rounds += 1
            self.seconds += max(0.0, elapsed_s - round_.draft_s)

    @property
    def tokens_per_second(self) -> float | None:
        """None where nothing was measured."""
        if self.num_rounds >= self.LEAST_ROUNDS and self.seconds > 0.0:
            return self.num_rounds / self.seconds
        return 1.0 / self.pass_s if self.pass_s > 0.0 else None

    def speedup(self, stats: Stats) -> float | None:
        """How much faster a reply was than plain; None for one that tested no draft."""
        plain, drafted = self.tokens_per_second, stats.tokens_per_second
        return drafted / plain if drafted and plain and stats.num_drafts else None


class RecentRate:
    """Tokens per second over the last second of arrivals."""

    WINDOW_S = 1.0

    def __init__(self) -> None:
        self._started: float | None = None
        self._arrivals: deque[tuple[float, int]] = deque()

    def observe(self, num_tokens: int, elapsed_s: float, at: float) -> None:
        """Tokens that took `elapsed_s` seconds arrived at `at`."""
        if self._started is None:
            self._started = at - elapsed_s
        self._arrivals.append((at, num_tokens))

    def at(self, now: float) -> float | None:
        """None before the first arrival."""
        if self._started is None:
            return None
        while self._arrivals and self._arrivals[0][0] <= now - self.WINDOW_S:
            self._arrivals.popleft()
        span = min(self.WINDOW_S, now - self._started)
        return sum(count for _, count in self._arrivals) / span if span > 0 else None


def _count_positions(counts: list[int], number: int, length: int) -> None:
    """One more at the first `number` of `length` positions."""
    counts.extend([0] * (length - len(counts)))
    for position in range(number):
        counts[position] += 1


def _count(counts: dict[str, int], key: str, number: int = 1) -> None:
    counts[key] = counts.get(key, 0) + number
