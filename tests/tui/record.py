"""Real replies as a recording, for pictures and snapshots: a load, then a reply to each question.

python -m tests.tui.record OUT.jsonl --ask "The question" --ask "The next one"
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.chat.events import Finished, Message
from localspec.chat.recording import Recorder
from localspec.engine.sampling import SamplingParams
from localspec.settings import load_settings


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default=load_settings().model)
    parser.add_argument("--ask", action="append", required=True)
    parser.add_argument("--max-tokens", type=int, default=220)
    args = parser.parse_args()
    sampling = SamplingParams(temperature=0.0, max_tokens=args.max_tokens, seed=0)
    record(args.out, args.model, args.ask, sampling)


if __name__ == "__main__":
    main()
