"""Pairs of every kind of memory, loaded as a user loads them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import llama_cpp
import pytest

from localspec.backends import loading
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.chat.events import Failed, Finished, Message, Notice, Ready
from localspec.engine.sampling import SamplingParams
from localspec.settings import SpecMode
from tests.conftest import register
from tests.tiny_kinds import KINDS, write_kind

Open = Callable[[str], LocalBackend]


@pytest.fixture
def open_pair(own_home: Path, tmp_path: Path) -> Iterator[Open]:
    """Make the backend of a pair whose target and draft are of one kind."""
    opened: list[LocalBackend] = []

    def make(kind: str) -> LocalBackend:
        files = {
            "target": write_kind(tmp_path / "target.gguf", kind),
            "draft": write_kind(tmp_path / "draft.gguf", kind, noise=0.1),
        }
        register(kind, **files)
        opened.append(LocalBackend(LoadRequest(kind, ctx=1024, threads=1)))
        return opened[-1]

    yield make
    for backend in opened:
        backend.close()


def ask(backend: LocalBackend, messages: list[Message], spec: SpecMode) -> Finished | Failed:
    sampling = SamplingParams(temperature=0.0, max_tokens=48, stop=("never",))
    end = list(backend.chat(messages, ReplyRequest(sampling, spec, 3)))[-1]
    assert isinstance(end, Finished | Failed)
    return end


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_writes_the_same_text_over_turns(open_pair: Open, kind: str) -> None:
    with closing(open_pair(kind)) as backend:
        ready = list(backend.load())[-1]
        assert isinstance(ready, Ready)
        assert ready.spec_off_reason == ""
        question = [Message("user", "Hi there")]
        first = ask(backend, question, "off")
        assert isinstance(first, Finished)
        turns = [*question, Message("assistant", first.text), Message("user", "And then?")]
        for messages in (turns, question, turns[1:]):
            ends = [ask(backend, messages, spec) for spec in ("draft", "off", "suffix", "draft")]
            assert len({end.token_ids for end in ends if isinstance(end, Finished)}) == 1
            assert [end.spec for end in ends] == ["draft", "off", "suffix", "draft"]
            assert ends[0].stats["num_accepted_tokens"] > 0


def test_a_memory_that_can_do_nothing_turns_speculation_off(
    open_pair: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp, "llama_state_seq_get_size_ext", lambda *_: 0)
    with closing(open_pair("hybrid")) as backend:
        ready = list(backend.load())[-1]
        assert isinstance(ready, Ready)
        assert ready.spec_off_reason.endswith("can't be cut back after a rejected draft")
        question = [Message("user", "Hi there")]
        assert ask(backend, question, "auto").spec == "off"
        for spec in ("draft", "suffix"):
            failed = ask(backend, question, spec)
            assert isinstance(failed, Failed)
            assert ready.spec_off_reason in failed.message


@pytest.mark.parametrize("kind", ["window", "delta-net", "hybrid"])
def test_the_extra_memory_is_shown(
    open_pair: Open, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A windowed model took several times the memory that its window needs, and nobody knew."""
    monkeypatch.setattr(loading, "_SHOWN_BYTES", 1)
    with closing(open_pair(kind)) as backend:
        notices = [event.text for event in backend.load() if isinstance(event, Notice)]
    assert [text.split(":")[0] for text in notices] == ["target", "draft"]
    assert all(" MB" in text for text in notices)
