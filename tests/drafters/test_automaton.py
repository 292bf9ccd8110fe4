"""The automaton against a slow search in the whole text."""

import random

import pytest

from localspec.drafters.automaton import MAX_COUNTED, Continuation, Match, SuffixAutomaton


def built(tokens: list[int]) -> SuffixAutomaton:
    automaton = SuffixAutomaton()
    automaton.extend(tokens)
    return automaton


def ends_of(string: list[int], text: list[int]) -> list[int]:
    size = len(string)
    return [end for end in range(size, len(text) + 1) if text[end - size : end] == string]


def slow_match(text: list[int], ahead: list[int]) -> list[int]:
    """The longest suffix of text and guesses that ends in the text, before its end if no guess."""
    whole = text + ahead
    for start in range(len(whole)):
        ends = ends_of(whole[start:], text)
        if ends and (ahead or ends != [len(text)]):
            return whole[start:]
    return []


def slow_continuation(text: list[int], string: list[int]) -> Continuation | None:
    for start in range(len(string)):
        followers = [text[end] for end in ends_of(string[start:], text) if end < len(text)]
        latest = {token: index for index, token in enumerate(followers) if token >= 0}
        if latest:
            counts = {token: followers.count(token) for token in latest}
            best = max(counts, key=lambda token: (counts[token], latest[token]))
            length, total = len(string) - start, sum(counts.values())
            return Continuation(best, length, counts[best], total)
    return None


def texts(alphabet: int, separated: bool) -> list[list[int]]:
    rng = random.Random(alphabet)
    made = []
    for _ in range(40):
        text = [rng.randrange(alphabet) for _ in range(rng.randrange(1, 60))]
        if separated:
            for index in range(2):
                text.insert(rng.randrange(len(text) + 1), -1 - index)
        made.append(text)
    return made


@pytest.mark.parametrize("alphabet", [1, 2, 3, 8])
@pytest.mark.parametrize("separated", [False, True])
def test_matches_and_continuations_are_those_of_a_slow_search(
    alphabet: int, separated: bool
) -> None:
    for text in texts(alphabet, separated):
        if alphabet == 1:
            text = text[:MAX_COUNTED]
        automaton = SuffixAutomaton()
        for end in range(1, len(text) + 1):
            automaton.extend(text[end - 1 : end])
            string = slow_match(text[:end], [])
            match = automaton.match()
            assert match.length == len(string)
            assert automaton.continuation(match) == slow_continuation(text[:end], string)


@pytest.mark.parametrize("alphabet", [2, 3, 8])
def test_guesses_are_followed_without_being_read(alphabet: int) -> None:
    rng = random.Random(alphabet)
    for text in texts(alphabet, separated=True):
        automaton = built(text)
        match, ahead = automaton.match(), []
        for _ in range(12):
            found = automaton.continuation(match)
            ahead.append(found.token if found and rng.random() < 0.7 else rng.randrange(alphabet))
            match = automaton.follow(match, ahead[-1])
            string = slow_match(text, ahead)
            assert match.length == len(string)
            assert automaton.continuation(match) == slow_continuation(text, string)


def test_an_unknown_token_matches_nothing() -> None:
    automaton = built([1, 2, 3])
    assert automaton.match() == Match(0, 0)
    assert automaton.continuation(automaton.match()) is None
    assert automaton.follow(automaton.match(), 9) == Match(0, 0)
    assert SuffixAutomaton().match() == Match(0, 0)


def test_the_most_frequent_continuation_wins_then_the_latest() -> None:
    automaton = built([7, 1, 7, 1, 7, 2, 5, 7])
    assert automaton.continuation(automaton.match()) == Continuation(1, 1, 2, 3)
    automaton = built([7, 1, 5, 7, 2, 6, 7])
    assert automaton.continuation(automaton.match()) == Continuation(2, 1, 1, 2)


@pytest.mark.parametrize(
    "name, text",
    [
        ("one token", [1] * 4000),
        ("a period", [index % 7 for index in range(4000)]),
        ("two tokens", random.Random(0).choices(range(2), k=4000)),
        ("many tokens", random.Random(0).choices(range(50_000), k=4000)),
        ("a late surprise", [1] * 3999 + [2]),
        ("a repeated half", random.Random(0).choices(range(50), k=2000) * 2),
    ],
)
def test_a_token_costs_the_same_however_long_the_text_is(name: str, text: list[int]) -> None:
    """Amortised: at most three transitions and two states a token, and the bounded counting."""
    automaton = built(text)
    assert automaton.num_steps <= (4 + MAX_COUNTED) * len(text)
    assert automaton.num_states <= 2 * len(text)
