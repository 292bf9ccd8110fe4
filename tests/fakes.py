"""A decoder and a tokenizer without weights: exact, quick, and strict about the rules."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from localspec.engine.arrays import Logits, Tokens
from localspec.engine.distribution import Ids, Mask
from localspec.engine.grammar import Grammar
from localspec.engine.interface import Proposal
from localspec.engine.sampling import Sampler, SamplingParams
from localspec.errors import NativeFailure

Rule = Callable[[tuple[int, ...]], np.ndarray]


class FakeDecoder:
    """Logits of each position are `rule(prefix)`. Bad calls fail as llama.cpp would: loudly."""

    def __init__(
        self,
        rule: Rule,
        n_vocab: int,
        n_ctx: int = 4096,
        max_batch: int = 64,
        max_logits: int = 33,
        can_cut: bool = True,
        fail_after: int | None = None,
    ) -> None:
        self.rule, self.n_vocab, self.n_ctx = rule, n_vocab, n_ctx
        self.max_batch, self.max_logits = max_batch, max_logits
        self.can_cut, self.fail_after = can_cut, fail_after
        self.calls: list[int] = []
        self.marks: list[int] = [0]
        """Lengths that memory which can't be cut goes back to."""
        self._tokens = np.empty(0, np.int32)

    @property
    def tokens(self) -> Tokens:
        return self._tokens

    def decode(self, tokens: Sequence[int] | Tokens, num_logits: int) -> Logits:
        ids = np.asarray(tokens, np.int32)
        assert 1 <= len(ids) <= self.max_batch
        assert num_logits <= min(len(ids), self.max_logits)
        assert len(self._tokens) + len(ids) <= self.n_ctx
        assert ids.min() >= 0 and ids.max() < self.n_vocab
        if self.fail_after is not None and len(self.calls) >= self.fail_after:
            raise NativeFailure("out of memory")
        self.calls.append(len(ids))
        self._tokens = np.append(self._tokens, ids)
        ends = range(len(self._tokens) - num_logits + 1, len(self._tokens) + 1)
        rows = [self.rule(tuple(self._tokens[:end].tolist())) for end in ends]
        return np.array(rows, np.float32).reshape(num_logits, self.n_vocab)

    def mark(self) -> None:
        self.marks.append(len(self._tokens))

    def rollback(self, n_past: int) -> None:
        assert 0 <= n_past <= len(self._tokens)
        if not self.can_cut and n_past < len(self._tokens):
            n_past = max(mark for mark in self.marks if mark <= n_past)
        self._tokens = self._tokens[:n_past]
        self.marks = [mark for mark in self.marks if mark <= n_past]


def hashed(n_vocab: int, salt: int = 0, depth: int = 3) -> Rule:
    """Logits that depend on the last `depth` tokens, differently for every salt."""
    known: dict[tuple[int, ...], np.ndarray] = {}

    def rule(prefix: tuple[int, ...]) -> np.ndarray:
        key = prefix[-depth:]
        if key not in known:
            rng = np.random.default_rng([salt, len(key), *key])
            known[key] = rng.normal(0.0, 2.0, n_vocab).astype(np.float32)
        return known[key]

    return rule


def scripted(reply: Sequence[int], n_prompt: int, n_vocab: int) -> Rule:
    """Logits that make greedy decoding say `reply` after a prompt of `n_prompt` tokens."""

    def rule(prefix: tuple[int, ...]) -> np.ndarray:
        row = np.zeros(n_vocab, np.float32)
        index = len(prefix) - n_prompt
        row[reply[index] if 0 <= index < len(reply) else 0] = 5.0
        return row

    return rule


class ScriptedSource:
    """Guesses what a function says of the committed tokens; certain of every one."""

    num_evidence = 1
    off_reason = ""

    def __init__(
        self, guess: Callable[[tuple[int, ...]], Sequence[int]], name: str = "draft"
    ) -> None:
        self.guess, self.name = guess, name
        self.committed: tuple[int, ...] = ()

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return iter(())

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        guess = self.guess(tuple(tokens.tolist()))
        return Proposal(guess[len(ahead)], 0) if len(guess) > len(ahead) else None

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return 0

    def commit(self, tokens: Tokens) -> None:
        self.committed = tuple(tokens.tolist())


class FakeGrammar:
    """Allows what `rule(prefix)` lists. As strict as llama.cpp about tokens that it refuses."""

    def __init__(
        self, rule: Callable[[tuple[int, ...]], Sequence[int]], end_token: int | None = None
    ) -> None:
        self.rule = rule
        self.end_tokens = frozenset(() if end_token is None else (end_token,))
        self.committed: tuple[int, ...] = ()
        self.closed = False

    def all_allowed(self, ahead: Sequence[int]) -> Ids:
        assert not self.closed
        prefix = self.committed
        for token in ahead:
            prefix = self._behind(prefix, token)
        ended = not self.end_tokens.isdisjoint(prefix)
        return np.array([] if ended else sorted(self.rule(prefix)), np.int64)

    def allowed(self, ids: Ids, ahead: Sequence[int]) -> Mask:
        return np.isin(ids, self.all_allowed(ahead))

    def commit(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            self.committed = self._behind(self.committed, token)

    def _behind(self, prefix: tuple[int, ...], token: int) -> tuple[int, ...]:
        """Where nothing may follow, an end token still may."""
        rule = self.rule(prefix)
        assert token in rule or token in self.end_tokens
        return (*prefix, token)

    def close(self) -> None:
        self.closed = True


def sentences(*texts: bytes, end_token: int) -> Callable[[tuple[int, ...]], list[int]]:
    """The rule of a grammar that knows a few texts."""
    whole = [(*text, end_token) for text in texts]

    def rule(prefix: tuple[int, ...]) -> list[int]:
        size = len(prefix)
        return [text[size] for text in whole if len(text) > size and text[:size] == prefix]

    return rule


class ByteTokenizer:
    """Ids 0..255 are bytes; 256 begins, 257 ends a message, 258 is another control token."""

    bos_text, eos_text = "<s>", "<end>"
    chat_template = ""
    end_tokens = frozenset({257})
    n_vocab = 259
    _control = {"<s>": 256, "<end>": 257, "<user>": 258}

    def tokenize(self, text: str, special: bool, begin: bool = False) -> list[int]:
        ids = [256] if begin else []
        while text:
            control = next((c for c in self._control if special and text.startswith(c)), "")
            if control:
                ids.append(self._control[control])
                text = text[len(control) :]
            else:
                ids += text[0].encode()
                text = text[1:]
        return ids

    def token_bytes(self, token: int) -> bytes:
        return bytes([token]) if token < 256 else b""

    def grammar(self, params: SamplingParams) -> Grammar | None:
        """A grammar here is sentences with `|` between them."""
        if not params.grammar:
            return None
        texts = (text.encode() for text in params.grammar.split("|"))
        self.last_grammar = FakeGrammar(sentences(*texts, end_token=257), 257)
        return self.last_grammar
