"""The chat by lines: the same commands, numbered turns, nothing that moves a cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec import paths
from localspec.chat.events import Failed, Message, Notice
from localspec.chat.history import History
from localspec.tui.commands import COMMANDS
from localspec.tui.plain.orders import HERE, INSTEAD
from tests.tui.plain.conftest import Talk
from tests.tui.scripted import ScriptedBackend, burst, finished, reply

HOSTILE = "\x1b[31m\x1b]0;title\x07[bold]red[/bold]\u202e\x9b2J"


def test_turns_are_numbered_and_followed_by_one_line_of_numbers(talk: Talk) -> None:
    backend = ScriptedBackend(reply(burst("Hello", " there.")), reply(burst("Bye.")))
    said = talk(backend, "hi", "", "bye")
    assert said.splitlines()[1:] == [
        "Loading pair.",
        "pair · draft draft · CPU",
        "1 you: hi",
        "1 reply",
        "Hello there.",
        "40 tok/s · 2 tokens · 100% of drafts accepted",
        "2 you: ",
        "2 you: bye",
        "2 reply",
        "Bye.",
        "20 tok/s · 1 token · speculation idle (wouldn't pay here)",
        "3 you: ",
    ]
    assert [message.content for message in backend.asked[1][0]] == ["hi", "Hello there.", "bye"]


def test_nothing_moves_the_cursor(talk: Talk) -> None:
    """Neither ours nor what a model, a file's name or a title brings."""
    loading = [Notice(HOSTILE), *ScriptedBackend().loading]
    backend = ScriptedBackend(reply(burst(HOSTILE, " end")), loading=loading)
    said = talk(backend, f"hi{HOSTILE}", f"/rename {HOSTILE}", "/sessions", f"/file {HOSTILE}")
    assert not any(char in "\x1b\x07\x9b\u202e\r\b" for char in said)
    assert "[bold]red[/bold]" in said


def test_it_is_saved_as_on_the_screen(talk: Talk, history: History) -> None:
    talk(ScriptedBackend(reply(burst("an", " answer"))), "a question")
    [saved] = history.conversations()
    assert [node.content for node in history.tree(saved.id).path] == ["a question", "an answer"]
    said = talk(ScriptedBackend(reply(burst("more"))), "and?", conversation=saved.id)
    assert "1 you\na question\n1 reply\nan answer\n" in said
    assert "2 you: and?" in said
    assert len(history.tree(saved.id).path) == 4


def test_versions_are_made_by_the_same_commands(talk: Talk, history: History) -> None:
    backend = ScriptedBackend(*(reply(burst(text)) for text in ("one", "two", "three", "four")))
    said = talk(backend, "q", "/retry", "/edit", "q2", "/undo", "/edit", "last")
    asked = [[message.content for message in messages] for messages, _ in backend.asked]
    assert asked == [["q"], ["q"], ["q2"], ["last"]]
    assert said.count("1 you: ") >= 3
    assert "error: There is no message to edit." in said


def test_an_edited_message_is_offered_and_sent_by_enter_alone(talk: Talk) -> None:
    backend = ScriptedBackend(reply(burst("one")), reply(burst("two")))
    said = talk(backend, "q", "/edit", "")
    assert "q\nEnter alone sends this;" in said
    assert [message.content for message in backend.asked[1][0]] == ["q"]


def test_several_lines_between_quotes_are_one_message(talk: Talk) -> None:
    backend = ScriptedBackend(*(reply(burst("1")) for _ in range(3)))
    talk(backend, '"""', "a", "", "b", '"""', '"""one"""', '"""x', 'y"""')
    asked = [messages[-1].content for messages, _ in backend.asked]
    assert asked == ["a\n\nb", "one", "x\ny"]


def test_settings_hold_from_the_next_reply_on(talk: Talk) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    said = talk(backend, "/temp 0", "/k 3", "/spec suffix", "/system Brief.", "/temp x", "hi")
    [(messages, request)] = backend.asked
    assert messages[0] == Message("system", "Brief.")
    assert (request.sampling.temperature, request.num_draft_tokens) == (0, 3)
    assert request.spec == "suffix"
    assert "error: temperature must be a number, not x." in said


def test_files_go_with_the_next_message(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    backend = ScriptedBackend(reply(burst("ok")))
    out = tmp_path / "reply.md"
    talk(backend, f"/file {tmp_path}/a.py", "explain", f"/save {out}")
    assert "x = 1" in backend.asked[0][0][-1].content
    assert out.read_text().strip() == "ok"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_does_something_or_says_why_not(
    talk: Talk, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before the first message, after one, and with words that mean nothing."""
    monkeypatch.chdir(tmp_path)
    backend = ScriptedBackend(*(reply(burst("1")) for _ in range(9)))
    said = talk(backend, f"/{name}", "hi", f"/{name}", f"/{name} zzz", "end")
    assert "waits for a screen" not in said
    if name not in HERE:
        assert said.count(f"error: /{name} needs the screen. {INSTEAD[name]}") == 3
    if name != "quit":
        assert "you: end" in said


def test_an_unknown_command_is_the_same_error_and_no_message(talk: Talk) -> None:
    backend = ScriptedBackend()
    assert "error: There is no command /nope." in talk(backend, "/nope")
    assert not backend.asked


def test_quit_ends_it_and_the_rest_is_not_read(talk: Talk) -> None:
    backend = ScriptedBackend()
    talk(backend, "/quit", "hi")
    assert not backend.asked


def test_conversations_are_listed_searched_and_opened(talk: Talk) -> None:
    backend = ScriptedBackend(reply(burst("blue")), reply(burst("red")))
    said = talk(backend, "sky", "/new", "rose", "/search blue", "/search none", "/sessions 1")
    assert ", sky\n" in said
    assert "Nothing was found." in said
    assert "1 you\nsky\n1 reply\nblue\n" in said


def test_a_failure_is_said_and_the_question_kept(talk: Talk) -> None:
    failed = Failed("The prompt is longer than the context.", "Raise --ctx.")
    backend = ScriptedBackend([failed], reply(burst("fine")))
    said = talk(backend, "far too long", "")
    assert "error: The prompt is longer than the context. Raise --ctx." in said
    assert [messages[-1].content for messages, _ in backend.asked] == ["far too long"] * 2


def test_a_killed_engine_is_said_and_can_be_loaded_again(talk: Talk, history: History) -> None:
    script = [burst("half"), Failed("The engine's process was killed.", fatal=True)]
    backend = ScriptedBackend(script, reply(burst("alive")))
    said = talk(backend, "hi", "more", "/restart", "")
    assert "killed. /restart loads the model again." in said
    assert "error: No model is loaded." in said
    assert "alive" in said
    [saved] = history.conversations()
    assert [node.content for node in history.tree(saved.id).path][:2] == ["hi", "half"]


def test_a_load_that_fails_leaves_a_chat_that_can_take_another(talk: Talk) -> None:
    backend = ScriptedBackend(loading=[Failed("The file is cut short.")])
    said = talk(backend, "hi", "/model nowhere")
    assert "error: The file is cut short. /restart loads the model again." in said
    assert 'error: No model is called "nowhere".' in said


def test_notices_wait_for_the_end_of_the_reply(talk: Talk) -> None:
    script = [burst("one"), Notice("The draft is off."), burst(" two"), finished("one two")]
    said = talk(ScriptedBackend(script), "hi")
    assert "one two\n" in said
    assert said.index("The draft is off.") > said.index("one two")


def test_files_that_are_mentioned_go_along_with_their_count(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    backend = ScriptedBackend(reply(burst("ok")), reply(burst("ok")))
    said = talk(backend, f"explain @{tmp_path}/a.py", f"and @{tmp_path}/none.py", "")
    assert "\nSent with a.py · 3 tokens\n1 reply\n" in said
    assert "x = 1" in backend.asked[0][0][-1].content
    assert "error: " in said.split("none.py\n")[1]
    assert said.count(f"and @{tmp_path}/none.py\nEnter alone sends this;") == 1
    assert len(backend.asked) == 1


@pytest.mark.parametrize(
    ("script", "code"), [(reply(burst("hello")), 0), ([Failed("No room.")], 1)]
)
def test_a_script_is_answered_and_told_how_it_went(
    talk: Talk, script: list[Failed], code: int
) -> None:
    """It was always 0."""
    talk(ScriptedBackend(script), "hi", return_code=code)


def test_a_message_that_the_pipe_ends_is_sent(talk: Talk) -> None:
    """What stood behind quotes that nobody closed was lost."""
    backend = ScriptedBackend(reply(burst("ok")))
    talk(backend, '"""', "a", "b")
    assert backend.asked[0][0][-1].content == "a\nb"


def test_a_scripts_lines_are_no_users(talk: Talk) -> None:
    talk(ScriptedBackend(reply(burst("ok"))), "hi")
    assert not paths.sent_file().exists()
