"""The saved conversations on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localspec import paths
from localspec.chat.events import Message
from localspec.chat.history import History
from tests.cli.invoke import invoke

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def two() -> tuple[int, int]:
    history = History(paths.history_file())
    ids = []
    for text in ("What is a \x1b[31mcache?", "Rename total_value"):
        conversation = history.start("pair")
        history.append(conversation, Message("user", text))
        history.append(conversation, Message("assistant", f"About {text}"))
        ids.append(conversation)
    history.close()
    return ids[0], ids[1]


def test_the_list_is_aligned_and_obeys_no_text(capsys: Captured, two: tuple[int, int]) -> None:
    result = invoke(capsys, "sessions")
    head, newest, oldest = result.out.splitlines()
    assert head.split() == ["ID", "UPDATED", "MESSAGES", "MODEL", "TITLE"]
    at = head.index("TITLE")
    assert newest[at:] == "Rename total_value"
    assert oldest[at:] == "What is a �[31mcache?"


def test_a_search_takes_words(capsys: Captured, two: tuple[int, int]) -> None:
    assert "Rename" in invoke(capsys, "sessions", "total_value", "about").out
    nothing = invoke(capsys, "sessions", "nowhere")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "Nothing was found.\n")


def test_json_is_a_list(capsys: Captured, two: tuple[int, int]) -> None:
    assert json.loads(invoke(capsys, "sessions", "nowhere", "--json").out) == []
    [found] = json.loads(invoke(capsys, "sessions", "cache", "--json").out)
    assert (found["id"], found["num_messages"], found["model"]) == (two[0], 2, "pair")
    assert "About" in found["found"]


def test_no_conversation_is_said(capsys: Captured) -> None:
    assert invoke(capsys, "sessions").err == "No conversation is saved yet.\n"


def test_out_and_in_again(
    capsys: Captured, two: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("rename-total_value.md".replace("_", "-"), "a.json"):
        args = [] if name.startswith("rename") else [name]
        result = invoke(capsys, "export", str(two[1]), *args)
        assert (result.code, result.out, result.err) == (0, "", f"Exported to {name}.\n")
        result = invoke(capsys, "import", name)
        assert "`localspec chat --resume" in result.out
    assert len(json.loads(invoke(capsys, "sessions", "--json").out)) == 4
    again = invoke(capsys, "export", str(two[1]), "a.json")
    assert (again.code, "already" in again.err) == (2, True)


def test_the_output_can_be_the_file(capsys: Captured, two: tuple[int, int]) -> None:
    result = invoke(capsys, "export", str(two[1]), "-")
    assert result.out.startswith("<!-- localspec conversation ")
    assert "About Rename total_value" in result.out


def test_what_can_not_be_is_one_line(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("[1]")
    for args, code in (
        (("export", "99"), 1),
        (("export", "x"), 2),
        (("import", str(tmp_path / "bad")), 2),
        (("import", str(tmp_path / "absent")), 2),
    ):
        result = invoke(capsys, *args)
        assert (result.code, result.err.count("\n")) == (code, 1)
    assert invoke(capsys, "sessions").err == "No conversation is saved yet.\n"


@pytest.mark.parametrize("command", [("import",), ("export", "1")])
def test_the_home_of_nobody_is_one_sentence(
    capsys: Captured, two: tuple[int, int], command: tuple[str, ...]
) -> None:
    """A name after ~ that no user has ended in a traceback."""
    result = invoke(capsys, *command, "~nobody-has-this-name/a.md")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("localspec: ~nobody-has-this-name/a.md ")
