"""Greedy text with drafts equals plain greedy text, whatever the caches can do (B35).

Recurrent and hybrid memories refuse to be cut, windowed ones say yes and forget: engines crashed,
looped into garbage, or answered a second question from the first one's state.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.engine.engine import Engine
from localspec.engine.interface import Drafter, Limits, Round
from localspec.engine.reading import read_in_chunks
from localspec.engine.sampling import SamplingParams
from localspec.llama.context import LlamaDecoder
from tests.fakes import ScriptedSource
from tests.llama.conftest import DRAFT_NOISE, MakeDecoder
from tests.tiny_kinds import KINDS, WINDOW

GREEDY = SamplingParams(temperature=0.0)
DRAFT_TOKENS = 4
REPLY = 5 * WINDOW
OTHERS = [kind for kind in KINDS if kind != "attention"]
PAIRS = [
    *((kind, "attention") for kind in OTHERS),
    *(("attention", kind) for kind in OTHERS),
    *((kind, kind) for kind in KINDS),
]


class Chat:
    """Turns of one conversation, each checked against plain decoding from an empty cache."""

    def __init__(
        self, target: LlamaDecoder, plain: LlamaDecoder, drafter: Drafter, length: int = REPLY
    ) -> None:
        self.length = length
        """Tokens of a reply."""
        self.engine = Engine(target)
        self.plain = plain
        self.drafter = drafter
        self.num_drafted = self.num_accepted = 0

    def reply(self, prompt: Sequence[int], stop_after: int | None = None) -> list[int]:
        """A whole reply, or one that is stopped after some rounds."""
        reply: list[int] = []
        num_rounds = 0
        limits = Limits(max_tokens=self.length)
        events = self.engine.generate(prompt, GREEDY, limits, self.drafter)
        for event in events:
            if not isinstance(event, Round):
                continue
            reply += event.tokens
            num_rounds += 1
            self.num_drafted += event.num_drafted
            self.num_accepted += event.num_accepted
            if num_rounds == stop_after:
                events.close()
        assert reply == self.expected(prompt, len(reply))
        assert self.engine.target.tokens.tolist() == [*prompt, *reply][:-1]
        return reply

    def expected(self, prompt: Sequence[int], num_tokens: int) -> list[int]:
        self.plain.clear()
        for _ in read_in_chunks(self.plain, np.array(prompt[:-1], np.int32)):
            pass
        tokens = [prompt[-1]]
        while len(tokens) <= num_tokens:
            tokens.append(int(self.plain.decode(tokens[-1:], 1)[0].argmax()))
        return tokens[1:]


def converse(chat: Chat) -> None:
    """Two turns, a stop, a regenerate, an edit of the first turn, and a turn after it."""
    first = list(b"the first question, longer than the window is")
    follow = list(b" and another one")
    turns = [*first, *chat.reply(first), *follow]
    chat.reply(turns)
    third = [*turns, *chat.reply(turns, stop_after=3), *follow]
    chat.reply(third)
    assert chat.reply(turns) == chat.reply(turns)
    edited = [*first[:30], *b"but not this"]
    chat.reply([*edited, *chat.reply(edited), *follow])
    chat.reply(list(b"a new conversation"))


@pytest.fixture
def plain(make_decoder: MakeDecoder, kind: str) -> Iterator[LlamaDecoder]:
    return make_decoder(kind, max_logits=1)


@pytest.mark.parametrize(("kind", "draft_kind"), PAIRS)
def test_a_draft_model_changes_no_token(
    make_decoder: MakeDecoder, plain: LlamaDecoder, kind: str, draft_kind: str
) -> None:
    draft = make_decoder(draft_kind, max_logits=1, noise=DRAFT_NOISE)
    chat = Chat(make_decoder(kind), plain, FixedDrafter(ModelSource(draft), DRAFT_TOKENS))
    converse(chat)
    assert 0 < chat.num_accepted < chat.num_drafted
    assert chat.drafter.off_reason == ""


@pytest.mark.parametrize(
    ("kind", "draft_kind"),
    [("window", "window"), ("window", "attention"), ("attention", "window")],
)
def test_a_reply_longer_than_a_windowed_cache_changes_no_token(
    make_decoder: MakeDecoder, plain: LlamaDecoder, kind: str, draft_kind: str
) -> None:
    """llama.cpp rounds a window up to 256 tokens, so shorter texts lose nothing."""
    draft = make_decoder(draft_kind, max_logits=1, noise=DRAFT_NOISE)
    converse(
        Chat(make_decoder(kind), plain, FixedDrafter(ModelSource(draft), DRAFT_TOKENS), length=270)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_right", range(DRAFT_TOKENS + 1))
def test_forced_rejections_change_no_token(
    make_decoder: MakeDecoder, plain: LlamaDecoder, kind: str, num_right: int
) -> None:
    """Every depth of a rejection, again and again, far beyond the window."""
    oracle = make_decoder(kind, max_logits=1)

    def guess(tokens: tuple[int, ...]) -> list[int]:
        right = Chat(oracle, oracle, NoDrafter()).expected(tokens, DRAFT_TOKENS)
        return [token if i < num_right else (token + 1) % 256 for i, token in enumerate(right)]

    chat = Chat(make_decoder(kind), plain, FixedDrafter(ScriptedSource(guess), DRAFT_TOKENS))
    first = list(b"a question")
    chat.reply([*first, *chat.reply(first), *b" another"])
    assert (chat.num_accepted == 0) == (num_right == 0)
    assert (chat.num_accepted == chat.num_drafted) == (num_right == DRAFT_TOKENS)


@pytest.mark.parametrize("kind", KINDS)
def test_no_drafts_change_no_token(
    make_decoder: MakeDecoder, plain: LlamaDecoder, kind: str
) -> None:
    converse(Chat(make_decoder(kind), plain, NoDrafter()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_ctx", [32, 40])
def test_a_context_smaller_than_a_batch(make_decoder: MakeDecoder, kind: str, n_ctx: int) -> None:
    """More snapshots than its batches have tokens were asked for, which ended the process."""
    decoder = make_decoder(kind, max_logits=34, n_ctx=n_ctx)
    count = min(decoder.max_batch, n_ctx - 8)
    assert decoder.decode(np.arange(count), 1).shape[0] == 1
