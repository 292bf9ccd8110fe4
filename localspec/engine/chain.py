"""The draft of a round while it grows, and what a free source would add to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from localspec.engine.arrays import Tokens
from localspec.engine.estimates import Experience, start_state
from localspec.engine.evidence import LIKELY
from localspec.engine.interface import Guess, Source
from localspec.engine.sampling import Sampler
from localspec.engine.stopping import StoppingRule

_LEAST_SURVIVAL = 0.03
_RISK = 0.2
"""What a free draft must be worth beyond its cost, as a part of it: the dearer a long pass, the
more one wrong guess loses."""
_FREE = start_state("free")


@dataclass(slots=True)
class Chain:
    """Guesses, and the chance that each of them will be committed."""

    guesses: list[Guess] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    survivals: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.guesses)

    @property
    def survival(self) -> float:
        return self.survivals[-1] if self.survivals else 1.0

    def add(self, guess: Guess, rate: float) -> None:
        self.survivals.append(self.survival * rate)
        self.guesses.append(guess)
        self.tokens.append(guess.token)

    def best_length(self, rule: StoppingRule) -> int:
        """Guesses that seemed worth a try on the way to more may be dropped at the end."""
        gain, length = 0.0, 0
        best = float(rule.stop[0])
        for k in range(1, len(self) + 1):
            gain += self.survivals[k - 1]
            if gain + rule.stop[k] > best:
                best, length = gain + float(rule.stop[k]), k
        return length


@dataclass(slots=True)
class Offer:
    """The best part of what a free source would copy, and its value in tokens."""

    value: float = float("-inf")
    guesses: list[tuple[Guess, float]] = field(default_factory=list)
    first: tuple[int, float] | None = None
    """The likeliest free guess for the next place, taken or not, and its acceptance rate."""

    @property
    def likely(self) -> bool:
        return self.first is not None and self.first[1] >= LIKELY


class FreeSources:
    """The sources that cost nothing, asked together."""

    def __init__(
        self, sources: list[Source], experience: Experience, end_tokens: frozenset[int]
    ) -> None:
        self.sources = sources
        self._experience = experience
        self._end_tokens = end_tokens

    def best_offer(
        self,
        rule: StoppingRule,
        chain: Chain,
        tokens: Tokens,
        max_tokens: int,
        sampler: Sampler,
        least_rate: float,
        most_stake: float,
    ) -> Offer:
        """The most valuable offer that costs at most `most_stake`. One whose first guess is not at
        least this likely is only named, not followed."""
        best = Offer()
        for source in self.sources:
            if source.off_reason:
                continue
            offer = self._offer(
                rule, chain, source, tokens, max_tokens, sampler, least_rate, most_stake
            )
            first = max(best.first, offer.first, key=lambda known: known[1] if known else 0.0)
            best = max(best, offer, key=lambda known: known.value)
            best.first = first
        return best

    def _offer(
        self,
        rule: StoppingRule,
        chain: Chain,
        source: Source,
        tokens: Tokens,
        max_tokens: int,
        sampler: Sampler,
        least_rate: float,
        most_stake: float,
    ) -> Offer:
        rates = self._experience.certain[source.name].rates
        ahead, survival, gain = list(chain.tokens), chain.survival, 0.0
        offer = Offer()
        taken: list[tuple[Guess, float]] = []
        length = 0
        while len(ahead) < max_tokens and survival > _LEAST_SURVIVAL:
            proposal = source.propose(tokens, ahead, sampler)
            if proposal is None:
                break
            rate = float(rates[proposal.evidence])
            if not taken:
                offer.first = (proposal.token, rate)
                if rate < least_rate:
                    break
            survival *= rate
            gain += survival
            taken.append((Guess(proposal.token, source.name, proposal.evidence), rate))
            ahead.append(proposal.token)
            stake = float(rule.stop[len(chain)] - rule.stop[len(ahead)])
            value = gain + rule.best(len(ahead), survival, _FREE) - _RISK * stake
            if value > offer.value and stake <= most_stake:
                offer.value, length = value, len(taken)
            if proposal.token in self._end_tokens:
                break
        offer.guesses = taken[:length]
        return offer
