"""Real replies as a recording, for pictures and snapshots: a load, then a reply to each question.

python -m tests.tui.record OUT.jsonl --ask "The question" --ask "The next one"
python -m tests.tui.record OUT.jsonl --race --ask "The question" --file FILE
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.chat.attachment import attached, read_text
from localspec.chat.events import Event, Finished, Measuring, Message
from localspec.chat.recording import Recorder
from localspec.engine.sampling import SamplingParams
from localspec.settings import load_settings
from localspec.tui.contest import RUNS

_EVERY = 32
"""Tokens between two steps of a measured run that are kept."""


def record(path: Path, model: str, questions: Sequence[str], sampling: SamplingParams) -> None:
    messages: list[Message] = []
    with closing(Recorder(path)) as recorder, closing(LocalBackend(LoadRequest(model))) as backend:
        for _ in recorder.record(backend.load()):
            pass
        for question in questions:
            messages.append(Message("user", question))
            for event in recorder.record(backend.chat(messages, ReplyRequest(sampling))):
                if isinstance(event, Finished):
                    messages.append(Message("assistant", event.text))


def record_race(path: Path, model: str, question: str, sampling: SamplingParams) -> None:
    messages = [Message("user", question)]
    with closing(Recorder(path)) as recorder, closing(LocalBackend(LoadRequest(model))) as backend:
        for _ in recorder.record(backend.load()):
            pass
        comparison = backend.compare(messages, ReplyRequest(sampling), RUNS)
        for event in recorder.record(_thinned(comparison)):
            print(event if isinstance(event, Measuring) else event.kind)


def _thinned(events: Iterable[Event]) -> Iterator[Event]:
    steps: set[tuple[str, int, int]] = set()
    for event in events:
        if isinstance(event, Measuring) and event.tokens_per_second is None:
            step = (event.what, event.run, event.num_tokens // _EVERY)
            if step in steps:
                continue
            steps.add(step)
        yield event


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default=load_settings().model)
    parser.add_argument("--ask", action="append", required=True)
    parser.add_argument("--file", action="append", default=[], help="goes with the first question")
    parser.add_argument("--race", action="store_true", help="of the last question alone")
    parser.add_argument("--max-tokens", type=int, default=220)
    args = parser.parse_args()
    sampling = SamplingParams(temperature=0.0, max_tokens=args.max_tokens, seed=0)
    for file in args.file:
        args.ask[0] = attached(args.ask[0], file, read_text(file))
    if args.race:
        record_race(args.out, args.model, args.ask[-1], sampling)
    else:
        record(args.out, args.model, args.ask, sampling)


if __name__ == "__main__":
    main()
