"""The commands that only print."""

from __future__ import annotations

import pytest

from localspec.chat.events import Failed, Finished
from localspec.chat.history import History
from localspec.tui import model_desk
from tests.tui.contestants import compared, measuring
from tests.tui.plain.conftest import Talk
from tests.tui.scripted import ScriptedBackend, burst, reply
from tests.tui.shelf_desk import MACHINE

CODE = "One:\n```py\nx = 1\n```\nTwo:\n```\ny = 2\n```\n"


def test_stats_are_lines_without_bars(talk: Talk) -> None:
    one, two = reply(burst("Hello", " there.")), reply(burst("Bye", "."))
    said = talk(ScriptedBackend(one, two), "/stats", "hi", "/stats", "bye", "/stats")
    assert "error: There are no numbers yet" in said
    assert "\nof the reply: 2\n" in said
    assert "\nof the reply: 2; conversation 4\n" in said
    assert "\n1: 100% of 1; conversation 100% of 2\n" in said
    assert "━" not in said


def test_a_comparison_says_each_run_once_and_its_report(talk: Talk, history: History) -> None:
    measured = [measuring("off", 1, n) for n in range(20)] + [measuring("on", 1, 5)]
    backend = ScriptedBackend([*measured, compared()])
    said = talk(backend, "/compare", "/compare Say hi")
    assert "error: There is no question yet. /compare PROMPT takes one of its own." in said
    assert said.count("measuring off, run 1 of 3\nmeasuring on, run 1 of 3\noff ") == 1
    assert "speed-up  1.90x, runs 1.84 to 1.96\ntext      the same\n1 you:" in said
    assert backend.asked[0][0][-1].content == "Say hi"
    assert not history.conversations()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([Failed("No room.")], "error: No room.\n1 you: "),
        ([Failed("Killed.", fatal=True)], "error: Killed. /restart loads the model again.\n"),
        ([Finished("", (), "cancelled", 1, "")], "The comparison was stopped"),
    ],
)
def test_a_comparison_that_fails_is_said(talk: Talk, script: list[Failed], said: str) -> None:
    assert said in talk(ScriptedBackend(script), "/compare hi")


def test_models_are_listed_narrowed_and_told_of(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_desk, "machine_memory", lambda: MACHINE)
    said = talk(ScriptedBackend(), "/models", "/models qwen2.5-coder-7b", "/models zzz", "/model")
    listed = said.split("/models\n")[1].split("1 you:")[0].splitlines()
    assert len(listed) == 22
    assert listed[-2].endswith("more; /models WORDS finds them, as 7b, qwen or on disk.")
    assert listed[-1].startswith("0 on this disk, ")
    assert "\nqwen2.5-coder-7b, 7.62B + " in said
    assert "\nfit " in said
    assert "Nothing is called so; `localspec check user/repo` asks the hub." in said


def test_a_code_block_is_printed_and_a_reply_is_not_copied(talk: Talk) -> None:
    lines = ("/copy", "/copy 2", "/copy code", "/copy 9")
    said = talk(ScriptedBackend(reply(burst(CODE))), "hi", *lines)
    assert "error: There is no clipboard here. /save writes the reply to a file" in said
    assert said.count("\ny = 2\n") == 3
    assert "error: This reply has code blocks 1 to 2, no 9." in said
