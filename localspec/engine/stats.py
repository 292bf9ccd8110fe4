"""Every number that is shown, defined once.

Counters follow vLLM's names. The acceptance rate is accepted / tested drafts; the target's own
token (recovered or bonus) is in neither. The mean acceptance length is tokens committed in a
round that tested drafts, and counts that token.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

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
        missing = round_.num_drafted - len(self.num_accepted_tokens_per_pos)
        self.num_accepted_tokens_per_pos.extend([0] * missing)
        for position in range(round_.num_accepted):
            self.num_accepted_tokens_per_pos[position] += 1
        for index, source in enumerate(round_.sources):
            _count(self.num_draft_tokens_per_source, source)
            _count(self.num_accepted_tokens_per_source, source, int(index < round_.num_accepted))

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted / tested; None when nothing was tested."""
        return self.num_accepted_tokens / self.num_draft_tokens if self.num_draft_tokens else None

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
            "mean_acceptance_length": self.mean_acceptance_length,
            "mean_draft_length": self.mean_draft_length,
            "overhead_s": self.overhead_s,
            "python_share": self.python_share,
        }


def _count(counts: dict[str, int], key: str, number: int = 1) -> None:
    counts[key] = counts.get(key, 0) + number
