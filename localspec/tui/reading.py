"""A running reply, taken apart into answer, thinking and tags, with who proposed what."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.chat.events import Burst, Piece
from localspec.chat.thinking import Kind, Span, ThinkingParser
from localspec.tui.ink import Ink, Stroke
from localspec.tui.thoughts import Thought, Thoughts
from localspec.tui.untrusted import displayable


@dataclass(slots=True)
class Stretch:
    """Text of one kind, and its share of the burst."""

    kind: Kind
    strokes: list[Stroke]
    thought: Thought
    """Up to here, the block of thinking that it is a part of."""


class Reading:
    """What may yet become a tag waits here."""

    def __init__(self, thoughts: Thoughts) -> None:
        """`thoughts` are those of the text that there is already, which is to be `put`."""
        self._open_tag = thoughts.open_tag
        self._counted = list(thoughts.blocks)
        self._blocks: list[Thought] = []
        self._parser = ThinkingParser(thoughts.open_tag)
        self._in_block = False
        self._waiting = Ink()
        self._num_tokens = 0.0
        self._seconds = 0.0

    @property
    def thoughts(self) -> Thoughts:
        return Thoughts(self._open_tag, tuple(self._blocks))

    def add(self, burst: Burst) -> list[Stretch]:
        self._waiting.add(burst)
        self._num_tokens += len(burst.round.tokens)
        self._seconds += burst.elapsed_s
        return self._feed(burst.text)

    def put(self, text: str) -> list[Stretch]:
        """Text that was there before, or that no burst brought."""
        self._waiting.put((Piece(text, "target"),))
        return self._feed(text)

    def finish(self) -> list[Stretch]:
        return self._sorted(self._parser.finish())

    def _feed(self, text: str) -> list[Stretch]:
        return self._sorted(self._parser.feed(displayable(text)))

    def _sorted(self, spans: list[Span]) -> list[Stretch]:
        length = sum(len(span.text) for span in spans)
        stretches = []
        for span in spans:
            strokes = self._waiting.take(len(span.text))
            thought = self._count(span.kind, len(span.text) / length)
            stretches.append(Stretch(span.kind, strokes, thought))
        if stretches:
            self._num_tokens = self._seconds = 0.0
        if stretches and not self._parser.holds:
            # Only rejected drafts are left.
            stretches[-1].strokes += self._waiting.dry_all()
        return stretches

    def _count(self, kind: Kind, share: float) -> Thought:
        """The block of thinking with this share of what came."""
        if kind == "thinking" and not self._in_block:
            self._blocks.append(self._counted.pop(0) if self._counted else Thought())
        self._in_block = kind == "thinking"
        if not self._in_block:
            return Thought()
        block = self._blocks[-1]
        block = Thought(
            block.num_tokens + share * self._num_tokens, block.seconds + share * self._seconds
        )
        self._blocks[-1] = block
        return block
