"""What a backend yields while it answers. Plain values: they can be stored, sent and replayed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from localspec.chat.comparison import Comparison
from localspec.chat.state import StateKind
from localspec.engine.interface import FinishReason, Prefill, Round

Origin = Literal["target", "draft", "suffix", "predicted"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Loading:
    """A model is being read; progress from 0 to 1."""

    model: Literal["target", "draft", "costs"]
    """`costs`: the model's passes are being timed."""
    progress: float
    device: str = ""
    """Where its layers go, in words; empty where that is known already."""
    kind: Literal["loading"] = "loading"


@dataclass(frozen=True, slots=True)
class Ready:
    """The models are loaded."""

    name: str
    """The pair's name."""
    target: str
    """The target file's name."""
    draft: str
    """The draft file's name; empty when there is none."""
    device: str
    """Where the target's layers are, in words."""
    n_ctx: int
    load_s: float
    draft_device: str = ""
    """Where the draft is; empty when there is none."""
    spec_off_reason: str = ""
    """Why no draft model can be used, if it can't."""
    can_copy: bool = True
    """Whether anything can be drafted without one."""
    plain_pass_s: float = 0.0
    """Seconds of the target's pass of one token, timed at this load; 0 if it wasn't."""
    memory_bytes: int = 0
    """What the engine's process holds; 0 if nobody looked."""
    taken: dict[str, int] = field(default_factory=dict)
    """By device of this machine, how much less memory is free than before this load."""
    kind: Literal["ready"] = "ready"

    @property
    def placement(self) -> str:
        """Where everything is: `CUDA0 · 24/29 layers; draft: CUDA0 · 31/31 layers`."""
        return f"{self.device}; draft: {self.draft_device}" if self.draft_device else self.device


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence that the user should see."""

    text: str
    off_reason: str = ""
    """Why nothing drafts any more in this reply; empty when the sentence is about something else,
    or another source goes on."""
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class Opened:
    """The prompt ends inside a block of thinking: the reply has no opening tag of its own."""

    tag: str
    """One of `thinking.TAGS`."""
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one token, and who proposed it. Whole characters: it may be empty or lag behind."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Burst:
    """The text of one round."""

    pieces: tuple[Piece, ...]
    round: Round
    elapsed_s: float
    """The round's whole duration, for `Stats.observe`."""
    rejected: tuple[Piece, ...] = ()
    """What the drafts that did not stand would have said. No part of the text."""
    num_before_rejected: int = 0
    """Which of `pieces` stand before them."""
    kind: Literal["burst"] = "burst"

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole reply."""

    text: str
    token_ids: tuple[int, ...]
    finish_reason: FinishReason
    seed: int
    spec: str
    """What was in force: auto, draft, suffix, predicted or off."""
    stats: dict[str, Any] = field(default_factory=dict)
    """`Stats.report()`."""
    state: StateKind | None = None
    """Whether drafts were tested, `active`; if not, `idle` or `off`. None in old recordings."""
    state_reason: str = ""
    memory_bytes: int = 0
    """As in `Ready`, at the end of the reply."""
    kind: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True)
class Failed:
    """The reply could not be made or finished; the conversation is as it was."""

    message: str
    hint: str = ""
    exit_code: int = 1
    fatal: bool = False
    """The backend is gone and must be started again."""
    kind: Literal["failed"] = "failed"


@dataclass(frozen=True, slots=True)
class Counted:
    """The length of a text, by the target's tokenizer."""

    num_tokens: int
    kind: Literal["counted"] = "counted"


@dataclass(frozen=True, slots=True)
class Measuring:
    """How far a comparison is."""

    what: str
    """off, on, or what else is being done."""
    run: int
    """Of this way, from 1; 0 before the first."""
    num_runs: int
    num_tokens: int
    max_tokens: int | None
    prefill: Prefill | None = None
    """While the prompt is being read."""
    tokens_per_second: float | None = None
    """Of the whole run, once it is over."""
    kind: Literal["measuring"] = "measuring"

    @property
    def doing(self) -> str:
        if self.run == 0:
            return self.what
        return f"measuring {self.what}, run {self.run} of {self.num_runs}"

    def __str__(self) -> str:
        doing = self.doing
        if self.prefill is not None:
            read, total = self.prefill.num_read, self.prefill.num_total
            return f"{doing} · reading the prompt, {read:,} of {total:,}"
        if self.run == 0:
            return doing
        whole = "" if self.max_tokens is None else f" of {self.max_tokens}"
        return f"{doing} · {self.num_tokens}{whole} tokens"


@dataclass(frozen=True, slots=True)
class Compared:
    """The end of a comparison, with the replies of median speed: enough to race them."""

    comparison: Comparison
    off: tuple[Burst, ...]
    on: tuple[Burst, ...]
    kind: Literal["compared"] = "compared"


Event = (
    Loading
    | Ready
    | Notice
    | Opened
    | Prefill
    | Burst
    | Finished
    | Failed
    | Counted
    | Measuring
    | Compared
)


@cache
def _adapter() -> TypeAdapter[Event]:
    """Made at its first use: the screen is painted before."""
    return TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def to_json(event: Event) -> str:
    """One line of JSON."""
    return _adapter().dump_json(event).decode()


def from_json(line: str | bytes) -> Event:
    """The event of a line. Raises ValueError on anything else."""
    return _adapter().validate_json(line)
