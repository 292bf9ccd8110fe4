"""A reply as events: text, ids and numbers agree, and the caches hold what was kept."""

from collections.abc import Sequence

import pytest

from localspec.chat.events import Burst, Event, Finished, Notice, from_json, to_json
from localspec.chat.session import Session, Speculation
from localspec.chat.state import TURNED_OFF, WOULD_NOT_PAY
from localspec.drafters.fixed import FixedDrafter
from localspec.drafters.model import ModelSource
from localspec.drafters.none import NoDrafter
from localspec.engine.engine import Engine
from localspec.engine.interface import Drafter, Prefill
from localspec.engine.sampling import SamplingParams
from tests.fakes import ByteTokenizer, FakeDecoder, ScriptedSource, scripted

PROMPT = list(b"Hi")


def session(reply: Sequence[int], n_ctx: int = 512) -> tuple[Session, FakeDecoder]:
    target = FakeDecoder(scripted(reply, len(PROMPT), 259), 259, n_ctx=n_ctx)
    return Session(Engine(target), ByteTokenizer()), target


def guess(reply: Sequence[int], k: int = 4) -> FixedDrafter:
    return FixedDrafter(ScriptedSource(lambda prefix: reply[len(prefix) - len(PROMPT) :]), k)


def replies(
    reply: Sequence[int], drafter: Drafter, **params: object
) -> tuple[list[Event], FakeDecoder]:
    chat, target = session(reply)
    sampling = SamplingParams(temperature=0.0, **{"max_tokens": 40, **params})
    return list(chat.reply(PROMPT, sampling, Speculation("draft", drafter))), target


@pytest.mark.parametrize("k", [1, 3, 8])
def test_the_events_tell_one_story(k: int) -> None:
    reply = [*"größer 🙂!".encode(), 257, 65]
    events, target = replies(reply, guess(reply, k))
    finished = events[-1]
    assert isinstance(finished, Finished)
    bursts = [event for event in events if isinstance(event, Burst)]
    assert finished.text == "".join(burst.text for burst in bursts) == "größer 🙂!"
    assert list(finished.token_ids) == [t for b in bursts for t in b.round.tokens] == reply[:-1]
    assert finished.finish_reason == "stop"
    assert finished.stats["num_tokens"] == len(reply) - 1
    assert target.tokens.tolist() == PROMPT + reply[:-2]
    assert isinstance(events[0], Prefill)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("stop", ["wor", "o w", "d", "hello w"])
def test_a_stop_string_inside_a_burst_ends_text_counts_and_caches(k: int, stop: str) -> None:
    """What was accepted beyond a stop string stayed in counts and caches."""
    reply = [*b"hello world and more", 257]
    events, target = replies(reply, guess(reply, k), stop=(stop,))
    finished = events[-1]
    assert isinstance(finished, Finished)
    end = b"hello world and more".index(stop.encode())
    kept = reply[: end + len(stop)]
    assert finished.text.encode() == bytes(reply[:end])
    assert list(finished.token_ids) == kept
    assert finished.finish_reason == "stop"
    assert finished.stats["num_tokens"] == len(kept)
    assert finished.stats["num_draft_tokens"] <= len(kept)
    assert target.tokens.tolist() == (PROMPT + kept)[:-1]


def test_a_stop_string_that_ends_with_the_round_ends_the_reply() -> None:
    reply = [*b"ab stop and on"]
    events, target = replies(reply, NoDrafter(), stop=("stop",))
    assert isinstance(events[-1], Finished)
    assert events[-1].text == "ab "
    assert target.tokens.tolist() == [*PROMPT, *b"ab sto"]


def test_a_stop_in_the_round_of_a_stop_string_still_cuts_the_caches() -> None:
    """The engine never heard of the cut, and kept the tokens behind the stop string."""
    reply = [*b"hello world and more", 257]
    chat, target = session(reply)
    sampling = SamplingParams(temperature=0.0, stop=("lo w",))
    for event in chat.reply(PROMPT, sampling, Speculation("draft", guess(reply, 8))):
        if isinstance(event, Burst):
            chat.stop()
    assert target.tokens.tolist() == [*PROMPT, *b"hello "]


def test_drafted_pieces_are_marked() -> None:
    reply = [*b"abcdef"]
    events, _ = replies(reply, guess([*b"abXdeX"], 3), max_tokens=6)
    pieces = [p for e in events if isinstance(e, Burst) for p in e.pieces]
    assert "".join(p.text for p in pieces) == "abcdef"
    assert [p.origin for p in pieces] == ["draft", "draft", "target", "draft", "draft", "target"]


def test_rejected_drafts_are_told_and_are_no_part_of_the_text() -> None:
    reply = [*"abücd".encode()]
    # Half a character that is accepted is made whole by the guess behind it.
    guessed = [*"abäX".encode()]
    events, _ = replies(reply, guess(guessed, 5), max_tokens=6)
    first = next(event for event in events if isinstance(event, Burst))
    assert "".join(p.text for p in first.pieces[: first.num_before_rejected]) == "ab"
    assert [(p.text, p.origin) for p in first.rejected] == [("ä", "draft"), ("X", "draft")]
    assert first.round.rejected == tuple("äX".encode()[1:])
    assert events[-1].text == "abücd"


def test_times_of_the_prompt_come_with_its_progress() -> None:
    events, _ = replies([*b"abc"], NoDrafter(), max_tokens=3)
    told = sum(event.elapsed_s for event in events if isinstance(event, Prefill))
    assert told == pytest.approx(events[-1].stats["prefill_s"])


def test_a_stopped_reply_keeps_what_was_shown() -> None:
    reply = [*b"a long reply"]
    chat, target = session(reply)
    speculation = Speculation("off", NoDrafter())
    events: list[Event] = []
    for event in chat.reply(PROMPT, SamplingParams(temperature=0.0), speculation):
        events.append(event)
        if len([e for e in events if isinstance(e, Burst)]) == 4:
            chat.stop()
    assert isinstance(events[-1], Finished)
    assert (events[-1].text, events[-1].finish_reason) == ("a lo", "cancelled")
    assert target.tokens.tolist() == [*PROMPT, *b"a l"]
    again = list(chat.reply(PROMPT, SamplingParams(temperature=0.0, max_tokens=12), speculation))
    assert again[-1].text == "a long reply"


def test_a_drafter_that_gives_up_is_said_once() -> None:
    """No token was drafted any more and nothing explained why."""
    drafter = FixedDrafter(
        ModelSource(FakeDecoder(scripted([*b"abc"], 2, 259), 259, fail_after=1)), 4
    )
    events, _ = replies([*b"abcdef"], drafter, max_tokens=6)
    notices = [event for event in events if isinstance(event, Notice)]
    reason = "the draft model failed: out of memory"
    assert notices == [Notice(f"speculation: off ({reason}).", reason)]
    assert (events[-1].state, events[-1].state_reason) == ("off", reason)
    assert events[-1].text == "abcdef"


def test_the_state_is_what_was_tested() -> None:
    """Speculation counted as on because it was configured (B31)."""
    reply = [*b"abcdef"]
    active, _ = replies(reply, guess(reply), max_tokens=6)
    idle, _ = replies(reply, guess([]), max_tokens=6)
    assert (active[-1].state, active[-1].state_reason) == ("active", "")
    assert (idle[-1].state, idle[-1].state_reason) == ("idle", WOULD_NOT_PAY)
    chat, _ = session(reply)
    off = Speculation("off", NoDrafter(), TURNED_OFF)
    *_, end = chat.reply(PROMPT, SamplingParams(temperature=0.0, max_tokens=3), off)
    assert (end.state, end.state_reason) == ("off", TURNED_OFF)


def test_a_failed_model_beside_a_working_source_is_not_the_end() -> None:
    """With another source at work, status said that speculation was off."""
    failing = ModelSource(FakeDecoder(scripted([*b"abc"], 2, 259), 259, fail_after=1))
    chat, _ = session([*b"abcdef"])
    both = Speculation("auto", FixedDrafter(failing, 4), has_others=True, hint=lambda: "Reload.")
    events = list(chat.reply(PROMPT, SamplingParams(temperature=0.0, max_tokens=6), both))
    (notice,) = [event for event in events if isinstance(event, Notice)]
    told = "The draft model is off (the draft model failed: out of memory). Reload."
    assert notice == Notice(told, off_reason="")
    assert events[-1].state == "idle"


def test_a_full_context_of_the_draft_is_said_once_a_reply() -> None:
    """A draft whose context was smaller stopped in silence (B31)."""
    reply = [65] * 60
    decoder = FakeDecoder(scripted(reply, len(PROMPT), 259), 259, n_ctx=16)
    drafter = FixedDrafter(ModelSource(decoder), 4)
    chat, _ = session(reply)
    reason = "the draft's context of 16 tokens is full"
    for max_tokens in (40, 8, 40):
        sampling = SamplingParams(temperature=0.0, max_tokens=max_tokens)
        events = list(chat.reply(PROMPT, sampling, Speculation("draft", drafter)))
        notices = [event.off_reason for event in events if isinstance(event, Notice)]
        assert notices == ([reason] if max_tokens == 40 else [])
        end = events[-1]
        assert (end.state, end.state_reason) == (
            ("off", reason) if max_tokens == 40 else ("active", "")
        )
        assert end.text == "A" * max_tokens


def test_a_prompt_beyond_the_drafts_context_is_not_fed_to_it() -> None:
    """The prompt overran the draft's cache, and the reply failed."""
    decoder = FakeDecoder(scripted([65] * 9, 2, 259), 259, n_ctx=16)
    chat, _ = session([])
    drafter = FixedDrafter(ModelSource(decoder), 4)
    sampling = SamplingParams(temperature=0.0, max_tokens=4)
    events = list(chat.reply([66] * 30, sampling, Speculation("draft", drafter)))
    assert decoder.calls == []
    assert events[-1].state == "off"
    assert any(isinstance(event, Notice) for event in events)


def test_a_full_context_is_a_reason() -> None:
    chat, _ = session([65] * 50, n_ctx=10)
    events = list(
        chat.reply(PROMPT, SamplingParams(temperature=0.0), Speculation("off", NoDrafter()))
    )
    assert events[-1].finish_reason == "context"
    assert events[-1].text == "A" * 9


def test_events_survive_json() -> None:
    reply = [*"ä🙂 [bold]\x1b[31m".encode(), 257]
    events, _ = replies(reply, guess(reply))
    assert [from_json(to_json(event)) for event in events] == events


def test_a_grammar_is_followed_and_freed() -> None:
    """A reply that was closed in the middle left its native grammar behind."""
    reply = [*b"nonsense"] * 3
    for closed_early in (False, True):
        tokenizer = ByteTokenizer()
        target = FakeDecoder(scripted(reply, len(PROMPT), 259), 259)
        chat = Session(Engine(target), tokenizer)
        sampling = SamplingParams(temperature=0.0, grammar="yes|yesterday|no")
        speculation = Speculation("draft", guess(reply), 4)
        running = chat.reply(PROMPT, sampling, speculation)
        if closed_early:
            while not isinstance(next(running), Burst):
                pass
            running.close()
        else:
            finished = list(running)[-1]
            assert isinstance(finished, Finished)
            assert (finished.text, finished.finish_reason) == ("no", "stop")
        assert tokenizer.last_grammar.closed
