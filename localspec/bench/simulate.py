"""Traces replayed under any drafter and any cost table: what another machine would gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from localspec.bench.trace import Trace
from localspec.engine.arrays import Tokens
from localspec.engine.costs import CostTable, Seconds, context_bucket
from localspec.engine.evidence import NUM_PROBABILITY_BINS, probability_bin
from localspec.engine.interface import Draft, Drafter, Proposal, Score, Verdict
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
        self._falls = falls(trace)
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
        stands = on_path and not self._falls[position]
        drawn = trace.reply[position] if stands else _UNKNOWN
        return Proposal(token, evidence, point_mass(drawn))

    def commit(self, tokens: Tokens) -> None:
        self._num_read = min(self._num_read, len(tokens) - 1)


def falls(trace: Trace) -> npt.NDArray[np.bool_]:
    """Which drawn guesses are rejected, by their recorded chances, (reply,); the reply goes on as
    it was recorded. The same luck for every drafter, so that they differ by skill alone."""
    rng = np.random.default_rng([len(trace.prompt), *trace.reply[:16]])
    return rng.random(len(trace.reply)) >= np.array(trace.drawn)


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
    """The reply made again, round by round."""
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


def clairvoyant(trace: Trace, costs: CostTable) -> float:
    """Tokens per second that no drafter of the model's guesses exceeds: it knows which of them
    will be accepted, and drafts exactly as many as pay."""
    length, num_prompt = len(trace.reply), len(trace.prompt)
    right = np.array(trace.guesses) == np.array(trace.reply)
    if trace.temperature > 0.0:
        right |= ~falls(trace)
    cheapest = {
        bucket: _cheapest(costs, bucket)
        for bucket in {context_bucket(num_prompt + at) for at in range(length)}
    }
    best = [0.0] * (length + 1)
    for start in range(length - 1, -1, -1):
        seconds = cheapest[context_bucket(num_prompt + start)]
        most = min(len(seconds) - 1, length - start - 1)
        wrong = np.flatnonzero(~right[start : start + most])
        most = int(wrong[0]) if len(wrong) else most
        best[start] = min(seconds[k] + best[start + k + 1] for k in range(most + 1))
    return length / best[0]


def _cheapest(costs: CostTable, bucket: int) -> list[float]:
    """Seconds of a round that accepts k guesses, by k: a longer draft may be the cheaper one."""
    target_s = costs.target(bucket)
    if not costs.has_draft:
        return [float(target_s[1:].min())]
    step_s = float(costs.draft(bucket)[1:].min())
    rounds = target_s[1:] + step_s * np.arange(len(target_s) - 1)
    seconds: list[float] = np.minimum.accumulate(rounds[::-1])[::-1].tolist()
    return seconds
