"""Plain decoding is the same loop with nothing drafted."""

from collections.abc import Iterator

from localspec.engine.arrays import Tokens
from localspec.engine.interface import Draft, Verdict
from localspec.engine.sampling import Sampler


class NoDrafter:
    """Never guesses."""

    off_reason = ""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return iter(())

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        return Draft()

    def observe(self, verdict: Verdict) -> None:
        return None

    def commit(self, tokens: Tokens) -> None:
        return None
