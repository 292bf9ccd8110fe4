"""How many tokens to draft this round, from which source, or none.

Each round is a walk: at every position the rule of `stopping` weighs ending the draft, copying what
a free source offers, and one more guess by the model. Sampled replies stay exact whatever is
decided, and repeat by their seed although the decisions hang on measured times: the target's own
token is fixed by the seed and the place (`noise`), and a guess only stands if it is that token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from localspec.engine.arrays import Tokens
from localspec.engine.chain import Chain, FreeSources, Offer
from localspec.engine.costs import CostTable, context_bucket
from localspec.engine.estimates import Experience, start_state
from localspec.engine.evidence import LIKELY, NUM_MODEL_EVIDENCE, model_evidence
from localspec.engine.interface import Draft, Guess, Proposal, Source, Verdict
from localspec.engine.pace import Allowance, Pace, Probes
from localspec.engine.rules import MAX_MODEL_GUESSES, Rules
from localspec.engine.sampling import Sampler
from localspec.engine.stopping import StoppingRule
from localspec.engine.worth import can_pay

_MARGIN = 0.2
"""How much better a free offer must look than the model to be preferred: it knows less."""
_HURDLE = 0.2
"""What a free draft must be worth at least, in tokens."""
GPU_SIZES = frozenset((1, 2, 3, 4, 6, 8, 12, 16, 24, 32))
"""A GPU captures a graph for every size of pass; up to eight tokens have kernels of their own."""
_LAG_SHARE = 0.1
"""The part of catching up that this round must earn: the rest serves the rounds after it."""


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
        sizes: frozenset[int] | None = None,
    ) -> None:
        """`experience` is of the reply's temperature; `sizes` the passes that drafts may end in."""
        self._rules = Rules(costs, experience, sizes)
        self._model = model if costs.has_draft else None
        self._free = FreeSources(list(free), experience, end_tokens)
        self._costs = costs
        self._experience = experience
        self._end_tokens = end_tokens
        self._clock = clock
        self._pace: Pace | None = None
        self._probes = Probes()
        self._allowance = Allowance(Allowance.GRANT)
        self._free_allowance = Allowance(Allowance.FREE_GRANT)
        self._state = start_state("plain")
        self._bucket = 0
        self._round_draft_s = 0.0
        self._chosen = False
        """Whether this round asked the model because it pays, not to see whether it would."""
        self.model_can_pay = self._model is not None and can_pay(costs, MAX_MODEL_GUESSES)
        """Whether the model could pay on a text that suits it: else it is not even read."""

    @property
    def sources(self) -> list[Source]:
        return [*self._free.sources, *([self._model] if self._model and self.model_can_pay else [])]

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
        rule = self._rule(model, sampler.greedy)
        chain, state = Chain(), self._state
        per_plain = rule.rate * float(self._costs.target(self._bucket)[1])
        most_stake = self._allowance.left * per_plain
        most_free = self._free_allowance.left * per_plain
        probing = model is not None and self._probes.due(self._probe_cost(model, rule, tokens))
        while len(chain) < max_tokens:
            least_rate = LIKELY if model and chain else 0.0
            offer = self._free.best_offer(
                rule, chain, tokens, max_tokens, sampler, least_rate, min(most_stake, most_free)
            )
            if offer.likely and state >= NUM_MODEL_EVIDENCE:
                state = start_state("copying")
            may_ask = (probing and not chain) or self._step_stake(rule, chain) <= most_stake
            asked = model if may_ask else None
            go = self._value_of_model(rule, chain, state, asked, tokens)
            if not chain:
                self._chosen = go > rule.stop[0]
                go = float("inf") if probing else go
            if max(offer.value - _HURDLE, go) <= rule.stop[len(chain)]:
                break
            before = float(rule.stop[len(chain)])
            if asked is None or offer.value >= go + _MARGIN:
                for guess, rate in offer.guesses:
                    chain.add(guess, rate)
                most_free -= before - float(rule.stop[len(chain)])
                state = start_state("free")
            else:
                most_stake -= rule.rate * float(self._costs.draft(self._bucket)[1])
                state = self._guess(rule, chain, state, asked, tokens, sampler, offer)
                if state < 0:
                    break
            most_stake -= before - float(rule.stop[len(chain)])
            if chain.tokens[-1] in self._end_tokens:
                break
        return Draft(tuple(chain.guesses[: chain.best_length(rule)]))

    def _rule(self, model: Source | None, greedy: bool) -> StoppingRule:
        has_model = model is not None
        if self._pace is None:
            self._pace = Pace(self._rules.expected_rate(self._bucket, has_model, greedy))
        rate = max(1.0 / float(self._costs.target(self._bucket)[1]), self._pace.rate)
        return self._rules.at(rate, self._bucket, has_model, greedy)

    def _value_of_model(
        self,
        rule: StoppingRule,
        chain: Chain,
        state: int,
        model: Source | None,
        tokens: Tokens,
    ) -> float:
        if model is None:
            return float("-inf")
        draft_s = self._costs.draft(self._bucket)
        lag = min(model.lag(tokens, chain.tokens), len(draft_s) - 1)
        extra = max(0.0, float(draft_s[max(lag, 1)] - draft_s[1])) * _LAG_SHARE
        return rule.go(len(chain), chain.survival, state) - rule.rate * extra

    def _step_stake(self, rule: StoppingRule, chain: Chain) -> float:
        """What one more guess by the model costs if it falls, in tokens."""
        if len(chain) + 1 >= len(rule.stop) or not self._costs.has_draft:
            return float("inf")
        longer = float(rule.stop[len(chain)] - rule.stop[len(chain) + 1])
        return longer + rule.rate * float(self._costs.draft(self._bucket)[1])

    def _probe_cost(self, model: Source, rule: StoppingRule, tokens: Tokens) -> float:
        """What asking the model once costs, in tokens."""
        draft_s = self._costs.draft(self._bucket)
        most = len(draft_s) - 1
        lag = max(model.lag(tokens, ()), 1)
        return float(draft_s[min(lag, most)]) * max(1.0, lag / most) * rule.rate

    def _guess(
        self,
        rule: StoppingRule,
        chain: Chain,
        state: int,
        model: Source,
        tokens: Tokens,
        sampler: Sampler,
        offer: Offer,
    ) -> int:
        """One pass of the draft model; the new state, or -1 when its guess is not worth testing."""
        proposal = self._propose(model, tokens, chain, sampler)
        if proposal is None:
            return -1
        evidence = model_evidence(proposal.evidence, proposal.token, offer.first)
        self._experience.flow.observe(state, evidence)
        rate, shared = self._better_way(proposal, evidence)
        survival = chain.survival * rate
        k = len(chain)
        if survival + rule.best(k + 1, survival, evidence) <= rule.stop[k]:
            return -1
        token = proposal.token
        if shared and proposal.probs is not None:
            token = sampler.pick(proposal.probs, k)
        guess = Guess(token, model.name, evidence, proposal.probs)
        chain.add(guess, rate)
        return evidence

    def _propose(
        self, model: Source, tokens: Tokens, chain: Chain, sampler: Sampler
    ) -> Proposal | None:
        lag = model.lag(tokens, chain.tokens)
        start = self._clock()
        proposal = model.propose(tokens, chain.tokens, sampler)
        if proposal is not None:
            self._costs.observe("draft", self._bucket, lag, self._clock() - start)
            draft_s = self._costs.draft(self._bucket)
            self._round_draft_s += float(draft_s[min(lag, len(draft_s) - 1)])
        return proposal

    def _better_way(self, proposal: Proposal, evidence: int) -> tuple[float, bool]:
        """The acceptance rate of this guess, and whether to pick by the target's noise or take the
        likeliest."""
        certain = float(self._experience.certain["draft"].rates[evidence])
        if proposal.probs is None:
            return certain, False
        drawn = float(self._experience.drawn["draft"].rates[evidence])
        return max(certain, drawn), drawn > certain

    def observe(self, verdict: Verdict) -> None:
        self._costs.observe("target", self._bucket, verdict.num_passed, verdict.verify_s)
        target_s = self._costs.target(self._bucket)
        passed = min(verdict.num_passed, len(target_s) - 1)
        committed, seconds = verdict.num_accepted + 1, self._round_draft_s + float(target_s[passed])
        if self._pace is not None:
            self._pace.observe(committed, seconds)
        plain_s = float(target_s[1])
        self._allowance.observe(committed, verdict.num_accepted, seconds / plain_s - 1.0)
        free = [guess.source != "draft" for guess in verdict.draft.guesses]
        self._free_allowance.observe(
            committed,
            sum(free[: verdict.num_accepted]),
            float(target_s[passed] - target_s[max(1, passed - sum(free))]) / plain_s,
        )
        for guess, score in zip(verdict.draft.guesses, verdict.scores, strict=False):
            self._experience.certain[guess.source].observe(guess.evidence, score.certain)
            if score.drawn is not None:
                self._experience.drawn[guess.source].observe(guess.evidence, score.drawn)
        drafted = len(verdict.draft.guesses)
        self._probes.observe(self._chosen)
        whole = "accepted" if verdict.num_accepted == drafted else "rejected"
        self._state = start_state(whole if drafted else "plain")
