"""From tokens to whole characters, with stop strings held back."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from localspec.chat.events import Origin, Piece
from localspec.chat.interface import Tokenizer


class Detokenizer:
    """Turns token bytes into text. Incomplete UTF-8 waits for its rest; so does text that may
    yet become a stop string."""

    def __init__(self, tokenizer: Tokenizer, stop: Sequence[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held: list[Piece] = []
        self.stopped = False
        """A stop string was completed: its text and what follows is not part of the reply."""

    def add(self, token: int, origin: Origin) -> list[Piece]:
        """The pieces that are certain after this token."""
        text = self._decoder.decode(self._tokenizer.token_bytes(token))
        self._held.append(Piece(text, origin))
        return self._release()

    def would_say(self, tokens: Sequence[int], origins: Sequence[str]) -> list[Piece]:
        """The pieces of tokens that might have come next; nothing is changed."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.setstate(self._decoder.getstate())
        texts = [decoder.decode(self._tokenizer.token_bytes(token)) for token in tokens]
        return [Piece(*piece) for piece in zip(texts, origins, strict=False)]  # type: ignore[arg-type]

    def finish(self) -> list[Piece]:
        """What was held back, at the end of the reply."""
        rest = self._decoder.decode(b"", final=True)
        pieces, self._held = self._held, []
        if rest and not self.stopped:
            pieces.append(Piece(rest, pieces[-1].origin if pieces else "target"))
        return pieces

    def _release(self) -> list[Piece]:
        text = "".join(piece.text for piece in self._held)
        found = [at for stop in self._stop if (at := text.find(stop)) >= 0]
        if found:
            self.stopped = True
            pieces, self._held = _cut(self._held, min(found))[0], []
            return pieces
        pieces, self._held = _cut(self._held, len(text) - self._possible_stop(text))
        return pieces

    def _possible_stop(self, text: str) -> int:
        """How many last characters may be the start of a stop string."""
        longest = max((len(stop) for stop in self._stop), default=0)
        for length in range(min(longest - 1, len(text)), 0, -1):
            if any(stop.startswith(text[-length:]) for stop in self._stop):
                return length
        return 0


def _cut(pieces: list[Piece], length: int) -> tuple[list[Piece], list[Piece]]:
    """Split the pieces after `length` characters."""
    head: list[Piece] = []
    for index, piece in enumerate(pieces):
        if length < len(piece.text):
            tail = [Piece(piece.text[length:], piece.origin), *pieces[index + 1 :]]
            if length > 0:
                head.append(Piece(piece.text[:length], piece.origin))
            return head, tail
        head.append(piece)
        length -= len(piece.text)
    return head, []
