"""Which free sources a reply gets, and what they keep."""

from collections.abc import Iterator
from contextlib import closing
from typing import get_args

import numpy as np
import pytest

from localspec.backends import sources as sources_module
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.backends.sources import NO_TEXTS, FreeSources, Texts
from localspec.chat.events import Failed, Finished, Message, Ready
from localspec.engine.sampling import Sampler, SamplingParams
from localspec.settings import SpecMode
from tests.fakes import ByteTokenizer

GREEDY = Sampler(SamplingParams(temperature=0.0))
TEXT = "".join(f"line {n} of a text that is long enough\n" for n in range(4))
MESSAGES = [Message("user", f"Edit:\n```\n{TEXT}```\n")]


def free_sources() -> FreeSources:
    return FreeSources(ByteTokenizer())


def names(texts: Texts) -> list[str]:
    return [source.name for source in free_sources().of("auto", texts)]


def test_text_is_followed_where_there_is_some() -> None:
    assert names(NO_TEXTS) == ["suffix"]
    assert names(Texts(("given",))) == names(Texts((), ("quoted",))) == ["suffix", "predicted"]
    assert names(Texts.of((), MESSAGES)) == ["suffix", "predicted"]
    assert Texts.of((TEXT,), MESSAGES) == Texts((TEXT,), ())


def test_a_mode_has_its_own_source() -> None:
    texts = Texts((TEXT,))
    modes = {mode: free_sources().of(mode, texts) for mode in get_args(SpecMode)}
    assert {mode: [source.name for source in sources] for mode, sources in modes.items()} == {
        "auto": ["suffix", "predicted"],
        "off": [],
        "draft": [],
        "suffix": ["suffix"],
        "predicted": ["predicted"],
    }


def test_only_given_texts_are_added_to_the_suffix_index() -> None:
    """What stands in the prompt is there already, and would count twice."""
    tokens = np.array([*b"line 3"], np.int32)
    assert free_sources().suffix(Texts((), (TEXT,))).propose(tokens[:-1], [], GREEDY) is None
    proposal = free_sources().suffix(Texts((TEXT,))).propose(tokens, [], GREEDY)
    assert proposal is not None and proposal.token == ord(" ")


def test_sources_are_kept_while_their_texts_are_the_same() -> None:
    free = free_sources()
    first = free.of("auto", Texts((TEXT,)))
    assert free.of("auto", Texts((TEXT,))) == first
    other = free.of("auto", Texts((TEXT,), ("more",)))
    assert other[0] is first[0] and other[1] is not first[1]
    assert free.of("auto", NO_TEXTS)[0] is not first[0]


def test_control_tokens_in_a_text_stay_text() -> None:
    source = free_sources().predicted(Texts(("<end>",)))
    proposal = source.propose(np.empty(0, np.int32), [], GREEDY)
    assert proposal is not None and proposal.token == ord("<")


def test_all_texts_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources_module, "MAX_TOKENS", 10)
    tokenized = free_sources()._tokenized(["abcdefgh", "ijklmnop", "q"])
    assert [len(text) for text in tokenized] == [8, 2, 0]


@pytest.fixture
def backend(tiny_pair: str) -> Iterator[LocalBackend]:
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=512, threads=1))) as loaded:
        assert isinstance(list(loaded.load())[-1], Ready)
        yield loaded


def ask(backend: LocalBackend, spec: str, predict: tuple[str, ...] = ()) -> Finished:
    request = ReplyRequest(
        SamplingParams(temperature=0.0, max_tokens=40),
        spec,
        4,
        predict=predict,  # type: ignore[arg-type]
    )
    *_, last = backend.chat([Message("user", "Hi there")], request)
    assert isinstance(last, Finished), last
    return last


def test_predicted_text_is_drafted_and_changes_nothing(backend: LocalBackend) -> None:
    plain = ask(backend, "off")
    text = plain.text.encode("utf-8", "replace").decode()
    predicted = ask(backend, "predicted", (text,))
    assert predicted.spec == "predicted"
    assert predicted.token_ids == plain.token_ids
    assert predicted.stats["num_accepted_tokens"] > 10
    assert set(predicted.stats["num_draft_tokens_per_source"]) == {"predicted"}
    suffix = ask(backend, "suffix", (text,))
    assert suffix.token_ids == plain.token_ids
    assert suffix.stats["num_accepted_tokens"] > 0


def test_nothing_predicted_is_plain_decoding(backend: LocalBackend) -> None:
    finished = ask(backend, "predicted")
    assert finished.stats["num_drafts"] == 0
    assert finished.token_ids == ask(backend, "off").token_ids


def test_too_many_draft_tokens_are_still_refused(backend: LocalBackend) -> None:
    request = ReplyRequest(spec="predicted", num_draft_tokens=99)
    assert isinstance(list(backend.chat(MESSAGES, request))[-1], Failed)
