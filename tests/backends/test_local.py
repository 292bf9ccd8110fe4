"""The engine in this process, on a tiny real model."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import NO_TEMPLATE, LocalBackend
from localspec.chat.events import (
    Burst,
    Compared,
    Event,
    Failed,
    Finished,
    Message,
    Notice,
    Opened,
    Ready,
    from_json,
    to_json,
)
from localspec.engine.interface import Prefill
from localspec.engine.sampling import SamplingParams
from localspec.settings import SpecMode
from tests.conftest import TinyFiles, register
from tests.tiny_gguf import write_model

HI = [Message("user", "Hi there")]


def request(spec: SpecMode = "auto", max_tokens: int | None = 40, **rest: object) -> ReplyRequest:
    sampling = SamplingParams(temperature=0.0, max_tokens=max_tokens)
    return ReplyRequest(sampling=sampling, spec=spec, **rest)


@pytest.fixture
def backend(tiny_pair: str) -> Iterator[LocalBackend]:
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=512, threads=1))) as loaded:
        assert isinstance(list(loaded.load())[-1], Ready)
        yield loaded


def last(events: Iterator[Event]) -> Event:
    return list(events)[-1]


def test_every_way_writes_the_same_greedy_text(backend: LocalBackend) -> None:
    """A bad rollback looks like rounding from outside (B14)."""
    ends = {
        spec: last(backend.chat(HI, request(spec, num_draft_tokens=3)))
        for spec in ("off", "draft", "suffix")
    }
    texts = {end.text for end in ends.values()}
    assert len(texts) == 1
    assert ends["draft"].stats["num_accepted_tokens"] > 0
    assert ends["off"].stats["num_drafts"] == 0
    assert [end.spec for end in ends.values()] == ["off", "draft", "suffix"]


@pytest.mark.parametrize("k", [1, 4, 16, 32])
def test_the_context_fills_up_without_a_crash(backend: LocalBackend, k: int) -> None:
    """Near the limit the process died (B08)."""
    prompt = [Message("user", "x" * 400)]
    ends = [
        last(backend.chat(prompt, request(spec, max_tokens=None, num_draft_tokens=k)))
        for spec in ("off", "draft")
    ]
    assert {end.finish_reason for end in ends} <= {"context", "stop"}
    assert ends[0].token_ids == ends[1].token_ids


def test_a_prompt_beyond_the_context_is_refused_and_the_next_one_works(
    backend: LocalBackend,
) -> None:
    failed = last(backend.chat([Message("user", "x" * 600)], request()))
    assert isinstance(failed, Failed)
    assert "the context holds 512" in failed.message
    assert isinstance(last(backend.chat(HI, request())), Finished)


def test_a_comparison_leaves_the_next_reply_as_it_was(backend: LocalBackend) -> None:
    before = last(backend.chat(HI, request()))
    end = last(backend.compare(HI, request("suffix"), 2))
    assert isinstance(end, Compared)
    assert end.comparison.off.state == "off"
    assert from_json(to_json(end)) == end
    assert last(backend.chat(HI, request())).text == before.text


@pytest.mark.parametrize("after", range(0, 60, 7))
def test_a_comparison_is_stopped_at_any_event(backend: LocalBackend, after: int) -> None:
    events = backend.compare(HI, request("draft", max_tokens=12, num_draft_tokens=3), 2)
    for _ in range(after + 1):
        next(events)
    backend.stop()
    *rest, end = events
    assert isinstance(end, Finished)
    assert end.finish_reason == "cancelled"
    assert len(rest) <= 1
    assert isinstance(last(backend.chat(HI, request())), Finished)


def test_a_second_reply_is_refused_while_one_runs(backend: LocalBackend) -> None:
    """Two replies on one context end the process (B33)."""
    first = backend.chat(HI, request())
    next(first)
    second = list(backend.chat(HI, request()))
    assert [type(event) for event in second] == [Failed]
    assert "still running" in second[0].message
    assert isinstance(last(first), Finished)


def test_closing_a_reply_frees_the_backend(backend: LocalBackend) -> None:
    reply = backend.chat(HI, request())
    for _ in range(4):
        next(reply)
    reply.close()
    assert isinstance(last(backend.chat(HI, request())), Finished)


def test_a_stop_while_the_prompt_is_read_ends_at_once(backend: LocalBackend) -> None:
    """A stop was only heard after the first token (B13)."""
    events = []
    for event in backend.chat([Message("user", "y" * 450)], request()):
        events.append(event)
        backend.stop()
    assert isinstance(events[-1], Finished)
    assert events[-1].finish_reason == "cancelled"
    assert not any(isinstance(event, Burst) for event in events)
    assert last(backend.chat(HI, request())).finish_reason != "cancelled"


def test_a_second_turn_reads_only_what_is_new(backend: LocalBackend) -> None:
    reply = last(backend.chat(HI, request("draft")))
    turns = [*HI, Message("assistant", reply.text), Message("user", "More")]
    prefill = next(iter(backend.chat(turns, request("draft"))))
    assert isinstance(prefill, Prefill)
    assert prefill.num_cached > len("Hi there")


def test_a_draft_of_another_vocabulary_is_refused_before_weights_load(
    tiny_files: TinyFiles, own_home: object
) -> None:
    """A wrong pair loaded and drafted nonsense (B01)."""
    register("odd", target=tiny_files.target, draft=tiny_files.stranger)
    with closing(LocalBackend(LoadRequest("odd", ctx=512))) as odd:
        events = list(odd.load())
    assert [type(event) for event in events] == [Failed]
    assert "stranger.gguf" in events[0].message
    assert "--spec off" in events[0].hint
    with closing(LocalBackend(LoadRequest("odd", ctx=512, load_draft=False))) as plain:
        assert isinstance(last(plain.load()), Ready)
        assert isinstance(last(plain.chat(HI, request())), Finished)


def test_a_model_without_a_template_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A default template was used silently, and the model rambled (B36)."""
    path = write_model(tmp_path_factory.mktemp("base") / "base.gguf", chat_template=None)
    register("base", target=path)
    with closing(LocalBackend(LoadRequest("base", ctx=256))) as base:
        list(base.load())
        events = list(base.chat(HI, request(max_tokens=3)))
        raw = list(base.chat(HI, request(max_tokens=3, raw=True)))
    assert Notice(NO_TEMPLATE) in events
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(event, Notice) for event in raw)


def test_a_context_beyond_the_training_is_cut_and_said(tmp_path: object, tiny_pair: str) -> None:
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=65536))) as backend:
        events = list(backend.load())
    assert any(isinstance(e, Notice) and "32768" in e.text for e in events)
    assert isinstance(events[-1], Ready)
    assert events[-1].n_ctx == 32768


def test_an_option_that_cannot_be_honoured_is_refused(
    tiny_files: TinyFiles, own_home: object
) -> None:
    register("alone", target=tiny_files.target)
    with closing(LocalBackend(LoadRequest("alone", ctx=256))) as alone:
        list(alone.load())
        failed = last(alone.chat(HI, request("draft")))
        tooth = last(alone.chat(HI, request(num_draft_tokens=99)))
    assert isinstance(failed, Failed)
    assert failed.message == "--spec draft: none belongs to this pair."
    assert isinstance(tooth, Failed)


def test_a_prompt_that_ends_in_thinking_is_told_before_the_reply(
    own_home: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The reply has a closing tag only."""
    source = "{% for message in messages %}{{ message.content }}{% endfor %}\n<think>\n"
    path = write_model(tmp_path_factory.mktemp("thinks") / "thinks.gguf", chat_template=source)
    register("thinks", target=path)
    with closing(LocalBackend(LoadRequest("thinks", ctx=256))) as backend:
        list(backend.load())
        events = list(backend.chat(HI, request(max_tokens=3)))
        raw = list(backend.chat(HI, request(max_tokens=3, raw=True)))
    assert events[0] == Opened("<think>")
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(event, Opened) for event in raw)
