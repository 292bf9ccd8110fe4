"""The one interface between a front end and whoever answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from localspec.chat.events import Event, Message
from localspec.engine.params import SamplingParams
from localspec.settings import DEFAULT_CTX, FlashAttention, SpecMode


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Which pair to load, and where to put it."""

    name: str
    """A name of the catalog or of a pair on this disk."""
    ctx: int = DEFAULT_CTX
    gpu_layers: int | Literal["auto"] = "auto"
    draft_gpu_layers: int | Literal["auto"] = "auto"
    device: str = "auto"
    draft_device: str = "auto"
    tensor_split: tuple[float, ...] = ()
    cpu_experts: int | Literal["all"] = 0
    flash_attention: FlashAttention = "auto"
    cache_type: str = "f16"
    draft_cache_type: str = "auto"
    threads: int | None = None
    rpc: tuple[str, ...] = ()
    load_draft: bool = True
    fresh: bool = False
    """Don't start from what had to be given up at an earlier load."""
    chosen: frozenset[str] = frozenset()
    """Names of the fields above that the user set: given up last, and never without a word."""


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """How one reply is made."""

    sampling: SamplingParams = field(default_factory=SamplingParams)
    spec: SpecMode = "auto"
    num_draft_tokens: int | None = None
    """None lets localspec decide, round by round."""
    raw: bool = False
    """The last message's content is the prompt itself: no template."""
    predict: tuple[str, ...] = ()
    """Texts that most of the reply is expected to repeat."""


class Backend(Protocol):
    """Loads one pair and answers one conversation at a time.

    Iterators may be closed at any point: that stops the reply, and keeps what was shown.
    Failures arrive as a `Failed` event, the last one.
    """

    def load(self) -> Iterator[Event]:
        """Loading events, then Ready or Failed."""

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        """Prefill and Burst events, then Finished or Failed. Refused while a reply runs."""

    def count_tokens(self, text: str) -> int | None:
        """The length of a text by the target's tokenizer; None where nobody can say, as while a
        reply runs. Callable from any thread where `chat` is."""

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        """The request's way against plain decoding: Measuring events, then Compared or Failed.
        Refused while a reply runs; the conversation's caches are emptied by it."""

    def stop(self) -> None:
        """Ask the running reply or comparison to end; callable from any thread; the iterator then
        yields Finished('cancelled')."""

    def close(self) -> None:
        """Free everything. Safe to call twice, and during a reply."""
