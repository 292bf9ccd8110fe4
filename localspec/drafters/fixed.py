"""A draft of a fixed length from one source, whatever it costs: what `--num-draft-tokens` asks."""

from collections.abc import Iterator

from localspec.engine.arrays import Tokens
from localspec.engine.interface import Draft, Guess, Source, Verdict
from localspec.engine.sampling import Sampler


class FixedDrafter:
    """Always `num_draft_tokens` guesses, unless the source has fewer or the text ends."""

    def __init__(
        self, source: Source, num_draft_tokens: int, end_tokens: frozenset[int] = frozenset()
    ) -> None:
        self.source = source
        self._num_draft_tokens = num_draft_tokens
        self._end_tokens = end_tokens

    @property
    def off_reason(self) -> str:
        return self.source.off_reason

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return self.source.prepare(tokens)

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        guesses: list[Guess] = []
        ahead: list[int] = []
        while len(guesses) < min(max_tokens, self._num_draft_tokens):
            proposal = self.source.propose(tokens, ahead, sampler)
            if proposal is None:
                break
            token, probs = proposal.token, proposal.probs
            if probs is not None:
                token = probs.sample(sampler.draft_rng)
            drawn = probs is not None
            guesses.append(Guess(token, self.source.name, proposal.evidence, probs, drawn))
            ahead.append(token)
            if token in self._end_tokens:
                break
        return Draft(tuple(guesses))

    def observe(self, verdict: Verdict) -> None:
        return None

    def commit(self, tokens: Tokens) -> None:
        self.source.commit(tokens)
