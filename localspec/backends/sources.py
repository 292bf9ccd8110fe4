"""The sources that need no model: repetitions, and text that the reply is predicted to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from localspec.chat.events import Message
from localspec.chat.interface import Tokenizer
from localspec.chat.predictions import predicted_texts
from localspec.drafters.predicted import PredictedSource
from localspec.drafters.suffix import SuffixSource
from localspec.engine.interface import Source
from localspec.settings import SpecMode

MAX_TOKENS = 65_536
"""Of all texts together; a reply can't be longer than a context."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What the reply may repeat, the likeliest first."""

    given: tuple[str, ...] = ()
    """Handed over for it; the prompt doesn't have them."""
    quoted: tuple[str, ...] = ()
    """From the conversation."""

    @classmethod
    def of(cls, given: Sequence[str], messages: Sequence[Message]) -> Texts:
        quoted = predicted_texts(messages)
        return cls(tuple(given), tuple(text for text in quoted if text not in given))


NO_TEXTS = Texts()


class FreeSources:
    """Made for each reply; what was read for the one before is kept where it is the same."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._suffix = SuffixSource()
        self._given: tuple[str, ...] = ()
        self._predicted = PredictedSource(())
        self._texts = Texts()

    def suffix(self, texts: Texts) -> SuffixSource:
        """Repetitions of the prompt, the reply and the texts that the prompt doesn't have."""
        if texts.given != self._given:
            self._suffix = SuffixSource(self._tokenized(texts.given))
            self._given = texts.given
        return self._suffix

    def predicted(self, texts: Texts) -> PredictedSource:
        """Follows the texts; without any it never guesses."""
        if texts != self._texts:
            self._predicted = PredictedSource(self._tokenized(texts.given + texts.quoted))
            self._texts = texts
        return self._predicted

    def of(self, spec: SpecMode, texts: Texts) -> list[Source]:
        """Those of a mode; with `auto` the ones that can have something to say."""
        sources: list[Source] = []
        if spec in ("auto", "suffix"):
            sources.append(self.suffix(texts))
        if spec == "predicted" or (spec == "auto" and (texts.given or texts.quoted)):
            sources.append(self.predicted(texts))
        return sources

    def clear(self) -> None:
        """Forget what was said."""
        self._suffix.clear()

    def _tokenized(self, texts: Sequence[str]) -> list[list[int]]:
        room, tokenized = MAX_TOKENS, []
        for text in texts:
            tokenized.append(self._tokenizer.tokenize(text, special=False)[:room])
            room -= len(tokenized[-1])
        return tokenized
