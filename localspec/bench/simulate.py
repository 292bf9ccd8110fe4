"""Traces replayed under any drafter and any cost table: what another machine would gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from localspec.bench.trace import Trace
from localspec.engine.costs import CostTable, Seconds, context_bucket
from localspec.engine.evidence import NUM_PROBABILITY_BINS, probability_bin
from localspec.engine.interface import Draft, Drafter, Proposal, Score, Tokens, Verdict
from localspec.engine.sampling import Sampler, SamplingParams, point_mass

_UNKNOWN = -1
"""What the draft says behind a wrong guess: never right."""


class SimulatedClock:
    """Seconds that passes would have taken, by a cost table."""

    def __init__(self, costs: CostTable) -> None:
        self._target, self._draft = costs.target, costs.draft if costs.has_draft else None
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def target_pass(self, num_tokens: int, context: int) -> float:
        seconds = _seconds(self._target(context_bucket(context)), num_tokens)
        self.now += seconds
        return seconds

    def draft_pass(self, num_tokens: int, context: int) -> None:
        if self._draft is not None:
            self.now += _seconds(self._draft(context_bucket(context)), num_tokens)


def _seconds(table: Seconds, num_tokens: int) -> float:
    most = len(table) - 1
    return float(table[min(num_tokens, most)]) * max(1.0, num_tokens / most)


class TraceSource:
    """The draft model of a trace: what it said at each position of the reply."""

    name = "draft"
    num_evidence = NUM_PROBABILITY_BINS
    off_reason = ""

    def __init__(self, trace: Trace, clock: SimulatedClock) -> None:
        self._trace = trace
        self._clock = clock
        self._num_read = len(trace.prompt) - 1

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return iter(())

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return max(1, len(tokens) + len(ahead) - self._num_read)

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        trace = self._trace
        start = len(tokens) - len(trace.prompt)
        position = start + len(ahead)
        if position >= len(trace.reply):
            return None
        self._clock.draft_pass(self.lag(tokens, ahead), len(tokens))
        self._num_read = len(tokens) + len(ahead)
        on_path = list(ahead) == trace.reply[start:position]
        evidence = probability_bin(trace.probs[position])
        token = trace.guesses[position] if on_path else _UNKNOWN
        if sampler.greedy:
            return Proposal(token, evidence)
        # The pick falls by its recorded chance; the reply goes on as it was recorded.
        stands = on_path and sampler.draft_rng.random() < trace.drawn[position]
        drawn = trace.reply[position] if stands else _UNKNOWN
        return Proposal(token, evidence, point_mass(drawn))

    def commit(self, tokens: Tokens) -> None:
        self._num_read = min(self._num_read, len(tokens) - 1)


@dataclass(frozen=True, slots=True)
class Replay:
    """One trace under one drafter."""

    num_tokens: int
    seconds: float
    num_rounds: int
    num_drafted: int
    num_accepted: int

    @property
    def rate(self) -> float:
        return self.num_tokens / self.seconds


def replay(trace: Trace, drafter: Drafter, clock: SimulatedClock, seed: int = 0) -> Replay:
    """The reply made again, round by round; a drawn guess falls by its recorded chance."""
    sampler = Sampler(SamplingParams(temperature=trace.temperature, seed=seed))
    text = np.array(trace.prompt + trace.reply, np.int32)
    num_prompt, end = len(trace.prompt), len(text)
    for _ in drafter.prepare(text[:num_prompt]):
        pass
    start, length = clock.now, num_prompt
    rounds = drafted = accepted = 0
    while length < end:
        tokens = text[:length]
        draft = Draft()
        if (room := end - length - 1) > 0:
            draft = drafter.draft(tokens, min(room, 32), sampler)
        position = length - num_prompt
        scores = tuple(_scores(draft, trace, position))
        num_accepted = _num_accepted(draft, trace, position)
        passed = 1 + len(draft.guesses)
        verify_s = clock.target_pass(passed, length)
        verdict = Verdict(draft, num_accepted, scores, passed, verify_s)
        drafter.observe(verdict)
        length += num_accepted + 1
        drafter.commit(text[:length])
        rounds, drafted, accepted = (
            rounds + 1,
            drafted + len(draft.guesses),
            accepted + num_accepted,
        )
    return Replay(end - num_prompt, clock.now - start, rounds, drafted, accepted)


def _num_accepted(draft: Draft, trace: Trace, position: int) -> int:
    for index, token in enumerate(draft.tokens):
        if token != trace.reply[position + index]:
            return index
    return len(draft.guesses)


def _scores(draft: Draft, trace: Trace, position: int) -> Iterator[Score]:
    """What the drafter learns of each tested guess."""
    for at, guess in enumerate(draft.guesses, position):
        right = guess.token == trace.reply[at]
        if guess.source == TraceSource.name:
            yield Score(trace.certain[at], trace.drawn[at] if guess.probs else None)
        else:
            yield Score(float(right))
        if not right:
            return


MakeDrafter = Callable[[Trace, SimulatedClock], Drafter]


def simulate(traces: Sequence[Trace], costs: CostTable, make: MakeDrafter) -> list[Replay]:
    """Every trace, in order."""
    results = []
    for index, trace in enumerate(traces):
        clock = SimulatedClock(costs)
        results.append(replay(trace, make(trace, clock), clock, seed=index))
    return results


def clairvoyant(trace: Trace, costs: CostTable, most: int = 16) -> float:
    """Tokens per second of a drafter that knows which guesses of the model will be accepted."""
    length = len(trace.reply)
    right = [guess == token for guess, token in zip(trace.guesses, trace.reply, strict=True)]
    best = [0.0] * (length + 1)
    target_s = costs.target(0)
    step_s = float(costs.draft(0)[1]) if costs.has_draft else float("inf")
    for start in range(length - 1, -1, -1):
        options = []
        for k in range(min(most, length - start - 1) + 1):
            options.append(
                (k * step_s if k else 0.0) + float(target_s[k + 1]) + best[start + k + 1]
            )
            if start + k >= length or not right[start + k]:
                break
        best[start] = min(options)
    return length / best[0]
