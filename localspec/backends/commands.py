"""What the parent asks of the engine's process: one line of JSON each. The end of the lines is
the command to end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.chat.events import Compared, Failed, Finished, Message, Ready


@dataclass(frozen=True, slots=True)
class Load:
    request: LoadRequest
    kind: Literal["load"] = "load"


@dataclass(frozen=True, slots=True)
class Chat:
    number: int
    """Counts the replies and comparisons, so that a late `Stop` can't end the next one."""
    messages: tuple[Message, ...]
    request: ReplyRequest
    kind: Literal["chat"] = "chat"


@dataclass(frozen=True, slots=True)
class Compare:
    number: int
    """As a reply's."""
    messages: tuple[Message, ...]
    request: ReplyRequest
    repeats: int
    kind: Literal["compare"] = "compare"


@dataclass(frozen=True, slots=True)
class Stop:
    number: int
    """The reply or comparison that should end."""
    kind: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True)
class Count:
    """How many tokens a text has; answered by one event."""

    text: str
    kind: Literal["count"] = "count"


Request = Load | Chat | Compare
Command = Request | Count | Stop

LAST_EVENTS = (Ready, Finished, Compared, Failed)
"""Each answer to a request ends with one of them."""


@cache
def _adapter() -> TypeAdapter[Command]:
    """Made at its first use: the screen is painted before."""
    # A ban is a bias of -inf, which would become null.
    config = ConfigDict(ser_json_inf_nan="strings")
    return TypeAdapter(Annotated[Command, Field(discriminator="kind")], config=config)


def to_line(command: Command) -> bytes:
    """Raises ValueError when a message has characters that no text can have."""
    return _adapter().dump_json(command) + b"\n"


def from_line(line: bytes) -> Command:
    return _adapter().validate_json(line)
