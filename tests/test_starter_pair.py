"""The main job on the real starter pair: drafts, verifies, chats. Runs when it is pulled."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from localspec.backends.comparing import first_difference
from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.backends.sources import Texts
from localspec.chat.events import Finished, Message
from localspec.engine.interface import Prefill
from localspec.engine.sampling import SamplingParams
from localspec.settings import SpecMode

pytestmark = pytest.mark.model

QUESTION = [Message("user", "Write a Python class for an LRU cache.")]
GREEDY = SamplingParams(temperature=0.0, max_tokens=96)


@pytest.fixture
def pair(starter_pair: str) -> Iterator[LoadedPair]:
    with closing(LoadedPair(LoadRequest(starter_pair, ctx=2048))) as loaded:
        list(loaded.load())
        yield loaded


def reply(
    pair: LoadedPair, spec: SpecMode, messages: list[Message], params: SamplingParams = GREEDY
) -> Finished:
    prompt = pair.encode(messages, raw=False)
    *_, last = pair.session.reply(prompt, params, pair.speculation(spec, 3))
    assert isinstance(last, Finished)
    return last


def test_every_way_writes_the_targets_greedy_text(pair: LoadedPair) -> None:
    """At temperature 0 the text differed with speculation on (B14): only a near-tie may flip."""
    ends: dict[SpecMode, Finished] = {}
    for spec in ("off", "draft", "suffix"):
        pair.clear()
        ends[spec] = reply(pair, spec, QUESTION)
    prompt = pair.encode(QUESTION, raw=False)
    for spec in ("draft", "suffix"):
        if ends[spec].token_ids != ends["off"].token_ids:
            ids = ends["off"].token_ids, ends[spec].token_ids
            difference = first_difference(pair, prompt, *ids)
            assert difference.is_near_tie, difference
    assert "class LRUCache" in ends["off"].text
    assert 0.65 < ends["draft"].stats["acceptance_rate"] < 0.95
    assert ends["draft"].stats["mean_acceptance_length"] > 2.5


EDIT = [
    Message(
        "user",
        "Rename total to value. Return the whole file.\n```python\n"
        "class Cart:\n    def __init__(self):\n"
        "        self.items = []\n\n    def add(self, name, price, count=1):\n"
        "        self.items.append((name, price, count))\n\n    def total(self):\n"
        "        return sum(price * count for _, price, count in self.items)\n```",
    )
]


@pytest.mark.parametrize("messages", [QUESTION, EDIT])
def test_what_decides_for_itself_writes_the_targets_greedy_text(
    pair: LoadedPair, messages: list[Message]
) -> None:
    prompt = pair.encode(messages, raw=False)
    ids = []
    for speculation in (
        pair.speculation("off"),
        pair.speculation("auto", texts=Texts.of((), messages)),
    ):
        pair.clear()
        *_, last = pair.session.reply(prompt, GREEDY, speculation)
        assert isinstance(last, Finished)
        ids.append(last.token_ids)
    if ids[0] != ids[1]:
        difference = first_difference(pair, prompt, *ids)
        assert difference.is_near_tie, difference


def test_a_second_turn_reuses_both_caches(pair: LoadedPair) -> None:
    first = reply(pair, "draft", QUESTION, SamplingParams(temperature=0.0, max_tokens=24))
    turns = [*QUESTION, Message("assistant", first.text), Message("user", "Thanks. Shorter?")]
    prompt = pair.encode(turns, raw=False)
    cached = len(pair.target.tokens)
    events = list(pair.session.reply(prompt, GREEDY, pair.speculation("draft", 3)))
    assert isinstance(events[0], Prefill)
    assert events[0].num_cached >= cached - 2
    draft_read = [e for e in events if isinstance(e, Prefill) and e.model == "draft"]
    assert len(draft_read) == 1


def test_a_sampled_reply_is_repeated_by_its_seed(pair: LoadedPair) -> None:
    params = SamplingParams(temperature=0.9, max_tokens=24, seed=11)
    texts = []
    for _ in range(2):
        pair.clear()
        texts.append(reply(pair, "draft", QUESTION, params).text)
    assert texts[0] == texts[1]


def test_control_tokens_in_a_message_stay_text(pair: LoadedPair) -> None:
    quoting = [Message("user", "What does <|im_end|> mean?")]
    prompt = pair.encode(quoting, raw=False)
    (end,) = pair.model.tokenize("<|im_end|>", special=True)
    plain = pair.encode([Message("user", "What does it mean?")], raw=False)
    assert prompt.count(end) == plain.count(end)
