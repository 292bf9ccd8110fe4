"""What a draft model thinks at every position of a reply, and what the target says to it.

One walk over the target's own reply is enough to replay any controller: after accepted guesses the
draft stands on the reply's own text, so its guess at a position is the same wherever the round
began. Only what it would say behind a wrong guess is not known; the replay takes the next
position's probability for it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from localspec.backends.loading import LoadedPair
from localspec.engine.acceptance import overlap
from localspec.engine.engine import read_in_chunks
from localspec.engine.evidence import top_probability
from localspec.engine.sampling import Sampler, SamplingParams
from localspec.errors import LocalspecError, UsageError


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
    """The chance that a token drawn from the draft is accepted."""
    predicted: list[list[int]] = field(default_factory=list)
    """Texts that the reply was likely to be made of."""


def record(
    pair: LoadedPair,
    category: str,
    prompt: Sequence[int],
    sampling: SamplingParams,
    predicted: Sequence[Sequence[int]] = (),
) -> Iterator[int | Trace]:
    """Yield the number of tokens so far, then the trace. Raises UsageError without a draft."""
    draft = pair.draft_decoder
    if draft is None:
        raise UsageError(f"Nothing to record: {pair.off_reason}.", "Use a pair with a draft.")
    pair.clear()
    text = np.array(prompt, np.int32)
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
    room = min(pair.target.n_ctx, draft.n_ctx) - len(text)
    for _ in range(min(sampling.max_tokens or room, room)):
        last = _step(pair, draft, last, sampler, trace)
        yield len(trace.reply)
        if last in pair.model.end_tokens:
            break
    yield trace


def _step(pair: LoadedPair, draft: Any, last: int, sampler: Sampler, trace: Trace) -> int:
    row = draft.decode([last], 1)[0]
    offered = sampler.draft_distribution(row)
    best = int(offered.ids[offered.probs.argmax()])
    prob = top_probability(row, best) if sampler.greedy else float(offered.probs.max())
    target = sampler.distribution(pair.target.decode([last], 1)[0])
    token = target.sample(sampler.target_rng)
    sampler.commit([token])
    trace.reply.append(token)
    trace.guesses.append(best)
    trace.probs.append(round(prob, 4))
    trace.certain.append(round(target.probability(best), 4))
    trace.drawn.append(round(overlap(offered, target), 4))
    return token


@dataclass(frozen=True, slots=True)
class TraceFile:
    """Traces of one pair and the seconds of its passes where they were recorded."""

    target: str
    draft: str
    device: str
    costs: dict[str, Any]
    traces: list[Trace]


def write_traces(path: Path, file: TraceFile) -> None:
    """JSON lines: a header, then a reply each; compressed when the name ends in .gz."""
    header = asdict(file)
    lines = [json.dumps({name: header[name] for name in header if name != "traces"})]
    lines += [json.dumps(asdict(trace), separators=(",", ":")) for trace in file.traces]
    data = ("\n".join(lines) + "\n").encode()
    # Without a time stamp the same traces are the same bytes.
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def read_traces(path: Path) -> TraceFile:
    """Raises UsageError on anything that is not a trace file."""
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
        header = json.loads(lines[0])
        return TraceFile(**header, traces=list(_traces(lines[1:])))
    except (OSError, EOFError, ValueError, TypeError, IndexError) as error:
        raise UsageError(f"{path} is not a trace file: {error}.") from None


def _traces(lines: Iterable[str]) -> Iterator[Trace]:
    for line in lines:
        trace = Trace(**json.loads(line))
        columns = (trace.guesses, trace.probs, trace.certain, trace.drawn)
        if not trace.prompt or any(len(column) != len(trace.reply) for column in columns):
            raise LocalspecError("a trace is not whole")
        yield trace
