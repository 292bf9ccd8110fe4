"""Thinking by lines: announced, counted, and written when it is asked for."""

from __future__ import annotations

from localspec.chat.events import Burst, Event, Opened
from localspec.chat.history import History
from tests.tui.plain.conftest import Talk
from tests.tui.scripted import ScriptedBackend, burst, finished, reply

WHOLE = "<think>\nFirst this.\n</think>\n\nThe answer."


def bursts() -> list[Burst]:
    texts = ("<think>\n",), ("First", " this.\n"), ("</think>\n\n",), ("The", " answer.")
    return [burst(*each) for each in texts]


def test_it_is_announced_then_counted_and_the_answer_goes_on(talk: Talk) -> None:
    said = talk(ScriptedBackend(reply(*bursts())), "hi")
    assert "1 reply\nthinking\nthought for under 1 s, 2 tokens\nThe answer.\n" in said
    assert "First" not in said
    assert "<think>" not in said


def test_a_command_writes_it_and_the_raw_text_is_saved(talk: Talk, history: History) -> None:
    said = talk(ScriptedBackend(reply(*bursts())), "/thinking", "hi", "/thinking")
    assert "There is no thinking to unfold." in said
    assert "/thinking\nFirst this.\n2 you:" in said
    [saved] = history.conversations()
    assert history.tree(saved.id).path[-1].content == WHOLE


def test_a_prompt_that_ends_in_thinking_is_known(talk: Talk) -> None:
    text = "Hm.\n</think>\nYes."
    script: list[Event] = [
        Opened("<think>"),
        burst("Hm.\n"),
        burst("</think>\nYes."),
        finished(text),
    ]
    said = talk(ScriptedBackend(script), "hi", "/thinking")
    assert "thinking\nthought for under 1 s, 1 token\nYes.\n" in said
    assert "/thinking\nHm.\n" in said


def test_a_reply_that_is_all_thinking_is_written(talk: Talk) -> None:
    said = talk(ScriptedBackend(reply(burst("<think>\n"), burst("Hm"), reason="length")), "hi")
    assert "thinking\nthought for under 1 s, 1 token\nHm\n" in said


def test_an_opened_conversation_tells_of_it_once(talk: Talk, history: History) -> None:
    talk(ScriptedBackend(reply(*bursts())), "hi")
    [saved] = history.conversations()
    said = talk(ScriptedBackend(), "/thinking", conversation=saved.id)
    assert "1 reply\nthought for under 1 s, 2 tokens\nThe answer.\n" in said
    assert "/thinking\nFirst this.\n" in said
