"""How many tokens to draft this round, from which source, or none.

Each round is a walk: at every position the rule of `stopping` weighs ending the draft, copying what
a free source offers, and one more guess by the model. Sampled replies stay exact because no
decision looks at a token that was drawn before it is part of the draft: only at distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from localspec.engine.costs import CostTable, context_bucket
from localspec.engine.estimates import Experience, start_state
from localspec.engine.interface import Draft, Guess, Proposal, Source, Tokens, Verdict
from localspec.engine.pace import Pace, Probes
from localspec.engine.sampling import Sampler
from localspec.engine.stopping import StoppingRule

MAX_MODEL_GUESSES = 16
_LEAST_SURVIVAL = 0.03
_GOOD_TEXT = 0.97
"""Acceptance rate on a text that suits the model well."""
_WORTH_TRYING = 1.05
_LAG_SHARE = 0.25
"""The part of catching up that this round must earn: the rest serves the rounds after it."""


@dataclass(slots=True)
class _Chain:
    """The draft while it grows."""

    guesses: list[Guess] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    survivals: list[float] = field(default_factory=list)

    @property
    def survival(self) -> float:
        return self.survivals[-1] if self.survivals else 1.0

    def add(self, guess: Guess, rate: float) -> None:
        self.survivals.append(self.survival * rate)
        self.guesses.append(guess)
        self.tokens.append(guess.token)


@dataclass(slots=True)
class _Offer:
    """The best part of what a free source would copy, and its value in tokens."""

    value: float = float("-inf")
    guesses: list[tuple[Guess, float]] = field(default_factory=list)


class AdaptiveDrafter:
    """Drafts what pays, by costs and experience that outlive the reply."""

    def __init__(
        self,
        model: Source | None,
        free: Sequence[Source],
        costs: CostTable,
        experience: Experience,
        end_tokens: frozenset[int] = frozenset(),
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        """`experience` is of the reply's temperature."""
        self._model = model if costs.has_draft else None
        self._free = list(free)
        self._costs = costs
        self._experience = experience
        self._end_tokens = end_tokens
        self._clock = clock
        self._pace = Pace(1.0 / float(costs.target(0)[1]))
        self._probes = Probes()
        self._state = start_state("plain")
        self._bucket = 0
        self._round_draft_s = 0.0
        self._chosen = False
        """Whether this round asked the model because it pays, not to see whether it would."""
        self.model_can_pay = self._model is not None and _can_pay(costs)
        """Whether the model could pay if every guess were accepted: else it is not even read."""

    @property
    def sources(self) -> list[Source]:
        return [*self._free, *([self._model] if self._model and self.model_can_pay else [])]

    @property
    def off_reason(self) -> str:
        return self._model.off_reason if self._model else ""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        for source in self.sources:
            yield from source.prepare(tokens)

    def commit(self, tokens: Tokens) -> None:
        for source in self.sources:
            source.commit(tokens)

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        self._bucket = context_bucket(len(tokens))
        self._round_draft_s = 0.0
        model = self._model if self.model_can_pay and not self.off_reason else None
        rule = self._rule(model, max_tokens, sampler)
        chain, state = _Chain(), self._state
        probing = model is not None and self._probes.due(self._probe_cost(model, rule, tokens))
        while len(chain.guesses) < max_tokens:
            offer = self._best_offer(rule, chain, tokens, max_tokens, sampler)
            go = self._value_of_model(rule, chain, state, model, tokens)
            if not chain.guesses:
                self._chosen = go > rule.stop[0]
                go = float("inf") if probing else go
            if max(offer.value, go) <= rule.stop[len(chain.guesses)]:
                break
            if offer.value >= go or model is None:
                for guess, rate in offer.guesses:
                    chain.add(guess, rate)
                state = start_state("free")
            elif (state := self._guess(rule, chain, state, model, tokens, sampler)) < 0:
                break
            if chain.tokens and chain.tokens[-1] in self._end_tokens:
                break
        return Draft(tuple(chain.guesses[: _best_length(rule, chain)]))

    def _rule(self, model: Source | None, max_tokens: int, sampler: Sampler) -> StoppingRule:
        target_s = self._costs.target(self._bucket)
        plain_rate = 1.0 / float(target_s[1])
        rates = self._experience.certain["draft"].rates
        if not sampler.greedy:
            rates = rates.clip(self._experience.drawn["draft"].rates)
        return StoppingRule(
            max(plain_rate, self._pace.rate),
            target_s,
            float(self._costs.draft(self._bucket)[1]) if model else None,
            rates,
            self._experience.flow.shares,
            min(max_tokens, MAX_MODEL_GUESSES),
        )

    def _best_offer(
        self, rule: StoppingRule, chain: _Chain, tokens: Tokens, max_tokens: int, sampler: Sampler
    ) -> _Offer:
        best = _Offer()
        for source in self._free:
            if not source.off_reason:
                best = max(
                    best,
                    self._offer(rule, chain, source, tokens, max_tokens, sampler),
                    key=lambda offer: offer.value,
                )
        return best

    def _offer(
        self,
        rule: StoppingRule,
        chain: _Chain,
        source: Source,
        tokens: Tokens,
        max_tokens: int,
        sampler: Sampler,
    ) -> _Offer:
        rates = self._experience.certain[source.name].rates
        ahead, survival, gain = list(chain.tokens), chain.survival, 0.0
        taken: list[tuple[Guess, float]] = []
        best, length = float("-inf"), 0
        while len(ahead) < max_tokens and survival > _LEAST_SURVIVAL:
            proposal = source.propose(tokens, ahead, sampler)
            if proposal is None:
                break
            rate = float(rates[proposal.evidence])
            survival *= rate
            gain += survival
            taken.append((Guess(proposal.token, source.name, proposal.evidence), rate))
            ahead.append(proposal.token)
            value = gain + rule.best(len(ahead), survival, start_state("free"))
            if value > best:
                best, length = value, len(taken)
            if proposal.token in self._end_tokens:
                break
        return _Offer(best, taken[:length])

    def _value_of_model(
        self,
        rule: StoppingRule,
        chain: _Chain,
        state: int,
        model: Source | None,
        tokens: Tokens,
    ) -> float:
        if model is None:
            return float("-inf")
        draft_s = self._costs.draft(self._bucket)
        lag = min(model.lag(tokens, chain.tokens), len(draft_s) - 1)
        extra = max(0.0, float(draft_s[max(lag, 1)] - draft_s[1])) * _LAG_SHARE
        return rule.go(len(chain.guesses), chain.survival, state) - rule.rate * extra

    def _probe_cost(self, model: Source, rule: StoppingRule, tokens: Tokens) -> float:
        """What asking the model once costs, in tokens."""
        draft_s = self._costs.draft(self._bucket)
        most = len(draft_s) - 1
        lag = max(model.lag(tokens, ()), 1)
        return float(draft_s[min(lag, most)]) * max(1.0, lag / most) * rule.rate

    def _guess(
        self,
        rule: StoppingRule,
        chain: _Chain,
        state: int,
        model: Source,
        tokens: Tokens,
        sampler: Sampler,
    ) -> int:
        """One pass of the draft model; the new state, or -1 when its guess is not worth testing."""
        proposal = self._propose(model, tokens, chain, sampler)
        if proposal is None:
            return -1
        self._experience.flow.observe(state, proposal.evidence)
        rate, drawn = self._better_way(proposal)
        survival = chain.survival * rate
        k = len(chain.guesses)
        if survival + rule.best(k + 1, survival, proposal.evidence) <= rule.stop[k]:
            return -1
        token = proposal.token
        if drawn and proposal.probs is not None:
            token = proposal.probs.sample(sampler.draft_rng)
        guess = Guess(token, model.name, proposal.evidence, proposal.probs, drawn)
        chain.add(guess, rate)
        return proposal.evidence

    def _propose(
        self, model: Source, tokens: Tokens, chain: _Chain, sampler: Sampler
    ) -> Proposal | None:
        lag = model.lag(tokens, chain.tokens)
        start = self._clock()
        proposal = model.propose(tokens, chain.tokens, sampler)
        if proposal is not None:
            self._costs.observe("draft", self._bucket, lag, self._clock() - start)
            draft_s = self._costs.draft(self._bucket)
            self._round_draft_s += float(draft_s[min(lag, len(draft_s) - 1)])
        return proposal

    def _better_way(self, proposal: Proposal) -> tuple[float, bool]:
        """The acceptance rate of this guess, and whether to draw it or take the likeliest."""
        certain = float(self._experience.certain["draft"].rates[proposal.evidence])
        if proposal.probs is None:
            return certain, False
        drawn = float(self._experience.drawn["draft"].rates[proposal.evidence])
        return max(certain, drawn), drawn > certain

    def observe(self, verdict: Verdict) -> None:
        self._costs.observe("target", self._bucket, verdict.num_passed, verdict.verify_s)
        target_s = self._costs.target(self._bucket)
        passed = min(verdict.num_passed, len(target_s) - 1)
        self._pace.observe(verdict.num_accepted + 1, self._round_draft_s + float(target_s[passed]))
        for guess, score in zip(verdict.draft.guesses, verdict.scores, strict=False):
            self._experience.certain[guess.source].observe(guess.evidence, score.certain)
            if score.drawn is not None:
                self._experience.drawn[guess.source].observe(guess.evidence, score.drawn)
        drafted = len(verdict.draft.guesses)
        self._probes.observe(self._chosen)
        whole = "accepted" if verdict.num_accepted == drafted else "rejected"
        self._state = start_state(whole if drafted else "plain")


def _best_length(rule: StoppingRule, chain: _Chain) -> int:
    """Guesses that seemed worth a try on the way to more may be dropped again at the end, but none
    before a drawn one: its value must not decide whether it is tested."""
    drawn = [k for k, guess in enumerate(chain.guesses, 1) if guess.drawn]
    least = drawn[-1] if drawn else 0
    gain = sum(chain.survivals[:least])
    best, length = gain + float(rule.stop[least]), least
    for k in range(least + 1, len(chain.guesses) + 1):
        gain += chain.survivals[k - 1]
        if gain + rule.stop[k] > best:
            best, length = gain + float(rule.stop[k]), k
    return length


def _can_pay(costs: CostTable) -> bool:
    """Whether some number of the model's guesses beats plain decoding on a text that suits it."""
    target_s, step_s = costs.target(0), float(costs.draft(0)[1])
    lengths = np.arange(1, min(MAX_MODEL_GUESSES, len(target_s) - 2) + 1)
    committed = 1.0 + np.cumsum(_GOOD_TEXT**lengths)
    seconds = lengths * step_s + target_s[lengths + 1]
    return bool((committed * target_s[1] > _WORTH_TRYING * seconds).any())
