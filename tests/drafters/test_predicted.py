"""A text that the reply mostly repeats: followed, left and found again."""

import random
import re

import numpy as np
import pytest

from localspec.drafters.alignment import Alignment, How, Place
from localspec.drafters.predicted import NUM_EVIDENCE, PredictedSource, evidence
from localspec.engine.sampling import Sampler, SamplingParams

GREEDY = Sampler(SamplingParams(temperature=0.0))
SOURCE = '''\
import csv


class Inventory:
    """Items by name."""

    def __init__(self, owner):
        self.items = {}
        self.owner = owner

    def add(self, name, quantity, price):
        if name in self.items:
            self.items[name].quantity += quantity
        else:
            self.items[name] = Item(quantity, price)

    def remove(self, name, quantity):
        if name not in self.items:
            raise KeyError(name)
        self.items[name].quantity -= quantity

    def total(self):
        return sum(item.quantity * item.price for item in self.items.values())

    def load(self, path):
        with open(path) as file:
            for row in csv.DictReader(file):
                self.add(row["name"], int(row["quantity"]), float(row["price"]))
'''
VOCABULARY: dict[str, int] = {}


def ids(text: str) -> list[int]:
    parts = re.findall(r"\w+|\s+|[^\w\s]", text)
    return [VOCABULARY.setdefault(part, len(VOCABULARY)) for part in parts]


def rights(texts: list[str], reply: str, prompt: str = "Edit this, please: ") -> list[bool]:
    """Of each token of the reply, whether it was what the source said before."""
    source = PredictedSource([ids(text) for text in texts])
    begin = len(ids(prompt))
    tokens = np.array(ids(prompt) + ids(reply), np.int32)
    list(source.prepare(tokens[:begin]))
    made = []
    for end in range(begin, len(tokens)):
        proposal = source.propose(tokens[:end], [], GREEDY)
        made.append(proposal is not None and proposal.token == tokens[end])
        source.commit(tokens[: end + 1])
    return made


def share(texts: list[str], reply: str) -> float:
    made = rights(texts, reply)
    return sum(made) / len(made)


def lines(first: int, last: int) -> str:
    return "".join(SOURCE.splitlines(keepends=True)[first:last])


REPLIES = {
    "the same": SOURCE,
    "renamed inside a line": SOURCE.replace("total", "value"),
    "renamed everywhere": SOURCE.replace("quantity", "number"),
    "a longer name": SOURCE.replace("owner", "owner.full_name"),
    "lines inserted": lines(0, 9) + "        self.log = []\n        self.n = 0\n" + lines(9, 99),
    "lines deleted": lines(0, 8) + lines(9, 15) + lines(20, 99),
    "a block moved": lines(0, 10) + lines(20, 23) + lines(10, 20) + lines(23, 99),
    "begins with prose": "Sure! Here is the file:\n\n```python\n" + SOURCE + "```\n",
    "only its second half": "The last method:\n\n" + lines(16, 99),
}


@pytest.mark.parametrize("name", REPLIES)
def test_most_of_an_edited_text_is_predicted(name: str) -> None:
    assert share([SOURCE], REPLIES[name]) >= 0.9


def test_the_same_text_is_predicted_from_its_first_token() -> None:
    assert all(rights([SOURCE], SOURCE))


def test_a_replaced_token_costs_one_guess() -> None:
    assert rights([SOURCE], SOURCE.replace("total", "value")).count(False) == 1


def test_an_inserted_line_costs_little_more_than_itself() -> None:
    made = rights([SOURCE], REPLIES["lines inserted"])
    assert made.count(False) <= len(ids("self.log = []\n        self.n = 0\n        ")) + 2


def test_two_texts() -> None:
    other = "\n".join(f"def rule_{n}(x):\n    return x * {n} - {n + 1}" for n in range(9))
    assert share([other, SOURCE], SOURCE) >= 0.9
    assert share([other, SOURCE], SOURCE + "\n\n" + other) >= 0.9
    assert share([other, SOURCE], other + "\n\n" + SOURCE) >= 0.9


def test_a_reply_that_never_uses_the_text_gets_few_guesses() -> None:
    source = PredictedSource([ids(SOURCE)])
    rng = random.Random(1)
    tokens = np.array([rng.randrange(5000, 9000) for _ in range(300)], np.int32)
    list(source.prepare(tokens[:10]))
    made = [source.propose(tokens[:end], [], GREEDY) for end in range(10, 300)]
    assert sum(proposal is not None for proposal in made) == 1
    assert made[0] is not None and made[0].evidence == 0


def test_guesses_are_followed_and_forgotten() -> None:
    text = ids(SOURCE)
    source = PredictedSource([text])
    prompt = np.array([9001, 9002], np.int32)
    list(source.prepare(prompt))
    for depth in range(20):
        assert source.propose(prompt, text[:depth], GREEDY).token == text[depth]
    # Another source's guess, then the text again.
    assert source.propose(prompt, [*text[:5], 9003], GREEDY).token == text[6]
    assert source.propose(prompt, [*text[:5], 9003, text[6]], GREEDY).token == text[7]
    assert source.propose(prompt, [], GREEDY).token == text[0]


@pytest.mark.parametrize("seed", range(10))
def test_cuts_and_regenerations_equal_a_fresh_source(seed: int) -> None:
    rng = random.Random(seed)
    texts = [[rng.randrange(5) for _ in range(60)]]
    prompt = [rng.randrange(5) for _ in range(7)]
    source, tokens = PredictedSource(texts), list(prompt)
    list(source.prepare(np.array(prompt, np.int32)))
    for _ in range(40):
        cut = rng.choice((0, 0, 0, 1, 4, 99))
        tokens = tokens[: max(len(prompt), len(tokens) - cut)]
        tokens += [rng.randrange(5) for _ in range(rng.randrange(1, 6))]
        now = np.array(tokens, np.int32)
        fresh = PredictedSource(texts)
        list(fresh.prepare(now[: len(prompt)]))
        assert source.propose(now, [], GREEDY) == fresh.propose(now, [], GREEDY)
        source.commit(now)


@pytest.mark.parametrize("texts", [[], [[]], [[], []], [[3]], [[3], []], [[], [3, 4]]])
def test_next_to_nothing_is_no_fault(texts: list[list[int]]) -> None:
    source = PredictedSource(texts)
    for reply in ([], [3], [3, 4], [4, 4, 3], [9] * 20, [3] * 20):
        tokens = np.array([1, *reply], np.int32)
        list(source.prepare(tokens[:1]))
        proposal = source.propose(tokens, [], GREEDY)
        assert proposal is None or proposal.token >= 0


@pytest.mark.parametrize(
    "text", [[1] * 20_000, [1, 2] * 10_000, list(range(20_000)), [1, 1, 2] * 7000]
)
def test_a_token_costs_the_same_however_long_the_text_is(
    text: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    alignment = Alignment([text])
    compared = 0
    counted = Alignment._matched

    def matched(self: Alignment, end: int, last: tuple[int, ...]) -> int:
        nonlocal compared
        compared += 1
        return counted(self, end, last)

    monkeypatch.setattr(Alignment, "_matched", matched)
    rng = random.Random(0)
    place = alignment.begin()
    for _ in range(300):
        place = alignment.step(place, rng.choice((1, 2, text[7000])))
    assert compared <= 64 * 300


def test_every_row_is_reached_and_none_is_outside() -> None:
    places = [Place(0, 0, How.GUESSED, 0, gap, ()) for gap in (0, 1, 2, 8)]
    runs = (1, 2, 3, 5, 9, 17, 33, 10_000)
    ways = (How.FOLLOWED, How.NEAR, How.FAR)
    places += [Place(0, run, how, 0, 0, ()) for how in ways for run in runs]
    assert {evidence(place) for place in places} == set(range(NUM_EVIDENCE))
    assert NUM_EVIDENCE == PredictedSource.num_evidence == 24
