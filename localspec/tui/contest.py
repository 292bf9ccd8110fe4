"""What is set against plain decoding, and in how many runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from localspec.backends.interface import ReplyRequest
from localspec.chat.events import Message
from localspec.errors import UsageError
from localspec.tui.dialogue import Dialogue
from localspec.tui.options import Options

RUNS = 3
_MAX_TOKENS = 128
"""Where the user has set no limit: six whole replies would take minutes."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Both ways answer the same messages, with the same seed."""

    messages: tuple[Message, ...]
    request: ReplyRequest
    repeats: int = RUNS

    @property
    def question(self) -> str:
        return self.messages[-1].content


def contest(dialogue: Dialogue, options: Options, prompt: str) -> Contest:
    """Of a prompt with the files that go with the next message, else of the conversation's last
    question; neither is used up by it. Raises UsageError without a question."""
    turns = dialogue.turns
    if prompt:
        turns = [Message("user", options.handed.with_attached(prompt))]
    while turns and turns[-1].role != "user":
        turns.pop()
    if not turns:
        raise UsageError("There is no question yet.", "/compare PROMPT takes one of its own.")
    return Contest(tuple(_with_system(dialogue.system, turns)), _request(options))


def _with_system(system: str, turns: Sequence[Message]) -> Sequence[Message]:
    return [Message("system", system), *turns] if system else turns


def _request(options: Options) -> ReplyRequest:
    limit = options.sampling.max_tokens or _MAX_TOKENS
    sampling = replace(options.sampling, seed=0, max_tokens=limit)
    # Off against off shows nothing.
    spec = options.last_spec if options.spec == "off" else options.spec
    predict = options.handed.predicted
    return ReplyRequest(sampling, spec, options.num_draft_tokens, predict=predict)
