"""What a backend yields while it answers. Plain values: they can be stored, sent and replayed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

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


Event = Loading | Ready | Notice | Prefill | Burst | Finished | Failed

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def to_json(event: Event) -> str:
    """One line of JSON."""
    return _EVENT.dump_json(event).decode()


def from_json(line: str | bytes) -> Event:
    """The event of a line. Raises ValueError on anything else."""
    return _EVENT.validate_json(line)
