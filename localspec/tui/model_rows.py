"""The rows of the list of models, by what is known so far and what was typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from localspec.errors import UsageError
from localspec.models.fit_verdict import FitVerdict
from localspec.models.reference import Name, parse
from localspec.models.selection import size_text
from localspec.models.shelf import ShelfPair
from localspec.tui import model_words
from localspec.tui.pulling import Pulling
from localspec.tui.widgets.model_list import ModelRow

if TYPE_CHECKING:
    from localspec.models.examining import Verdict


@dataclass(slots=True)
class ModelRows:
    pairs: list[ShelfPair] = field(default_factory=list)
    verdicts: dict[str, FitVerdict] = field(default_factory=dict)
    """By name."""
    examined: dict[str, Verdict] = field(default_factory=dict)
    """By place, as it was typed."""

    def find(self, key: str) -> ShelfPair | None:
        return next((pair for pair in self.pairs if pair.name == key), None)

    def shown(self, text: str, used: str, pulling: Pulling) -> list[ModelRow]:
        """A place that was typed comes first, then every pair that matches, by its own name before
        those that match by their files."""
        place = self.place(text)
        found = [self._place(place, pulling)] if place else []
        words = text.split()
        matching = [pair for pair in self.pairs if pair.matches(words)]
        matching.sort(key=lambda pair: not pair.is_called(words))
        return found + [self._pair(pair, used, pulling) for pair in matching]

    def count(self, text: str, num_shown: int) -> str:
        """What there is, or how many of it match; empty where nothing does."""
        here = sum(pair.state == "ready" for pair in self.pairs)
        if not text.strip():
            return f"{here} on this disk, {len(self.pairs) - here} to pull."
        return f"{num_shown} of {len(self.pairs)} models." if num_shown else ""

    def place(self, text: str) -> str:
        """What was typed, where that is no name in the list but could be pulled; else empty."""
        given = text.strip()
        if "/" not in given and ":" not in given:
            return ""
        try:
            asked = parse(given)
        except UsageError:
            return ""
        if isinstance(asked, Name) and not (asked.quant and asked.name.lower() in self._names()):
            return ""
        return given

    def _names(self) -> Iterator[str]:
        for pair in self.pairs:
            yield pair.name.lower()
            yield from (alias.lower() for alias in (pair.entry.aliases if pair.entry else ()))

    def _place(self, place: str, pulling: Pulling) -> ModelRow:
        verdict = self.examined.get(place)
        if verdict is None:
            where = _pulled(pulling) if pulling.is_of(place) else "not asked yet"
            return ModelRow(place, place, where=where, fit="Enter asks the hub what it holds")
        models = [verdict.target, *([verdict.draft] if verdict.draft else [])]
        fits = not verdict.refusal
        return ModelRow(
            key=place,
            name=place,
            quants=" + ".join(dict.fromkeys(model.quant for model in models)),
            where=_pulled(pulling)
            if pulling.is_of(place) or pulling.is_of(verdict.name)
            else f"to pull {size_text(verdict.missing_bytes)}",
            fit=verdict.refusal or "fits",
            license=verdict.license,
            fits=fits,
        )

    def _pair(self, pair: ShelfPair, used: str, pulling: Pulling) -> ModelRow:
        verdict = self.verdicts.get(pair.name)
        return ModelRow(
            key=pair.name,
            name=pair.name,
            parameters=model_words.parameters(pair),
            quants=model_words.quants(pair, verdict),
            where=_pulled(pulling)
            if pulling.is_of(pair.name)
            else model_words.where(pair, verdict),
            fit=verdict.text if verdict else "",
            license=pair.license,
            is_here=pair.state == "ready",
            is_used=pair.name == used,
            fits=verdict.fits if verdict else None,
        )


def _pulled(pulling: Pulling) -> str:
    share = pulling.progress.share if pulling.progress else None
    return "pulling" if share is None else f"pulling {share:.0%}"
