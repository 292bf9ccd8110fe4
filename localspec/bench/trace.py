"""What a draft model thinks at every position of a reply, and what the target says to it.

One walk over the target's own reply is enough to replay any controller: after accepted guesses the
draft stands on the reply's own text, so its guess at a position is the same wherever the round
began. Only what it would say behind a wrong guess is not known; the replay takes the next
position's probability for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from localspec.backends.loading import LoadedPair
from localspec.engine.evidence import top_probability
from localspec.engine.noise import coupling
from localspec.engine.reading import read_in_chunks
from localspec.engine.sampling import Sampler, SamplingParams
from localspec.errors import ContextTooSmall, UsageError


@dataclass(frozen=True, slots=True)
class Trace:
    """One reply. All lists but the prompt have an entry for each token of the reply."""

    category: str
    temperature: float
    prompt: list[int]
    reply: list[int]
    guesses: list[int] = field(default_factory=list)
    """The draft's likeliest token."""
    probs: list[float] = field(default_factory=list)
    """Its probability: of the model when greedy, after the sampling chain otherwise."""
    certain: list[float] = field(default_factory=list)
    """The chance that the likeliest token is accepted; 0 or 1 when greedy."""
    drawn: list[float] = field(default_factory=list)
    """The chance that the draft's pick, with the target's noise, is accepted."""
    predicted: list[list[int]] = field(default_factory=list)
    """Texts that the reply was likely to be made of."""


def record(
    pair: LoadedPair,
    category: str,
    prompt: Sequence[int],
    sampling: SamplingParams,
    predicted: Sequence[Sequence[int]] = (),
) -> Iterator[int | Trace]:
    """Yield the number of tokens so far, then the trace. Raises UsageError without a draft, and
    ContextTooSmall for a prompt that leaves no room for a reply."""
    draft = pair.draft_decoder
    if draft is None:
        raise UsageError(f"Nothing to record: {pair.off_reason}.", "Use a pair with a draft.")
    pair.clear()
    text = np.array(prompt, np.int32)
    room = min(pair.target.n_ctx, draft.n_ctx) - len(text)
    if room < 1:
        raise ContextTooSmall(f"A prompt has {len(text)} tokens.", "Give a larger --ctx.")
    for decoder in (pair.target, draft):
        for _ in read_in_chunks(decoder, text[:-1]):
            yield 0
    sampler = Sampler(sampling)
    sampler.begin(text)
    trace = Trace(
        category,
        sampling.temperature,
        list(prompt),
        [],
        predicted=[list(text) for text in predicted],
    )
    last = int(text[-1])
    for _ in range(min(sampling.max_tokens or room, room)):
        last = _step(pair, draft, last, sampler, trace)
        yield len(trace.reply)
        # An id that only the target has ends what the draft can follow.
        if last in pair.model.end_tokens or last >= draft.n_vocab:
            break
    yield trace


def _step(pair: LoadedPair, draft: Any, last: int, sampler: Sampler, trace: Trace) -> int:
    row = draft.decode([last], 1)[0, : pair.model.n_vocab]
    offered = sampler.draft_distribution(row)
    best = int(offered.ids[offered.probs.argmax()])
    prob = top_probability(row, best) if sampler.greedy else float(offered.probs.max())
    target = sampler.distribution(pair.target.decode([last], 1)[0])
    token = sampler.pick(target)
    sampler.commit([token])
    trace.reply.append(token)
    trace.guesses.append(best)
    trace.probs.append(round(prob, 4))
    trace.certain.append(round(target.probability(best), 4))
    trace.drawn.append(round(coupling(offered, target), 4))
    return token
