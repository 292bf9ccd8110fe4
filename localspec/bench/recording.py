"""Traces of a whole suite, one prompt after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localspec.backends.loading import LoadedPair
from localspec.backends.sources import Texts
from localspec.bench.suite_run import Step
from localspec.bench.suites import Prompt
from localspec.bench.trace import Trace, record
from localspec.bench.trace_file import TraceFile
from localspec.chat.events import Message
from localspec.engine.sampling import SamplingParams

RECORDING = "recording"


def record_suite(
    pair: LoadedPair, prompts: Sequence[Prompt], sampling: SamplingParams
) -> Iterator[Step | Trace]:
    """Yield steps while a reply is recorded, and its trace at its end. Raises what `record`
    does."""
    for number, prompt in enumerate(prompts, 1):
        messages = [Message("user", prompt.text)]
        texts = [pair.model.tokenize(text, special=False) for text in Texts.of((), messages).quoted]
        ids = pair.encode(messages, raw=False)
        for part in record(pair, prompt.category, ids, sampling, texts):
            if isinstance(part, Trace):
                yield part
            else:
                yield Step(number, len(prompts), prompt.category, RECORDING, part)


def trace_file(pair: LoadedPair, traces: Sequence[Trace]) -> TraceFile:
    """With what passes cost where they were recorded."""
    files = pair.files
    draft = files.draft.name if files.draft else ""
    return TraceFile(
        files.target.name, draft, pair.model.placement, pair.costs.report(), list(traces)
    )
