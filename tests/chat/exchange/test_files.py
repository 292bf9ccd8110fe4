"""Conversations leave and come back word for word; bad files are refused and change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from localspec.chat.events import Message
from localspec.chat.exchange import files
from localspec.chat.history import BEGINNING, History
from localspec.errors import UsageError

HARD = (
    "plain",
    "",
    "\n\nblank lines around\n\n\n",
    "<!-- localspec user -->\n## You\n\nnot a turn",
    "\\<!-- localspec user -->\n\\\\<!-- localspec x",
    "win\r\ndows and \r old mac",
    "日本語 🎉 é \u202eabc\u202c \x1b[31mred\x1b[0m \x00 \x85 \u2028",
    "# You\n\n---\n\n```md\n## Assistant\n```",
    '--> "quotes" \\ {"a": 1}',
)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    history = History(tmp_path / "history.sqlite3")
    yield history
    history.close()


def talk(history: History) -> int:
    conversation = history.start("the --> model")
    for index, text in enumerate(HARD):
        system = HARD[-1 - index // 2] if index < 6 else ""
        history.append(conversation, Message("user", text), system=system)
        stats = {"tokens_per_second": 12.5, "ending": "stop"}
        history.append(conversation, Message("assistant", text[::-1]), stats)
    return conversation


@pytest.mark.parametrize("suffix", [".json", ".md"])
@pytest.mark.parametrize("title", ["", 'A --> "title" <!-- 🙂'])
def test_a_round_trip_is_exact(history: History, tmp_path: Path, suffix: str, title: str) -> None:
    conversation = talk(history)
    history.rename(conversation, title)
    text = files.exported(history, conversation, suffix)
    files.write(tmp_path / f"a{suffix}", text)
    assert (tmp_path / f"a{suffix}").read_bytes().decode() == text
    again = files.imported(history, str(tmp_path / f"a{suffix}"))
    assert again != conversation
    assert files.exported(history, again, suffix) == text
    assert history.messages(again) == history.messages(conversation)
    before, after = (history.tree(number).path for number in (conversation, again))
    assert [node.system for node in after] == [node.system for node in before]
    for field in ("title", "model", "updated_at"):
        first, second = (history.conversation(n) for n in (conversation, again))
        assert getattr(first, field) == getattr(second, field)


def test_json_keeps_every_version_and_every_number(history: History, tmp_path: Path) -> None:
    conversation = talk(history)
    history.append(conversation, Message("user", "another beginning"), after=BEGINNING)
    history.append(conversation, Message("assistant", "its reply"))
    shown = history.tree(conversation).first[0].newest
    assert shown.id
    history.show(conversation, shown.id)
    text = files.exported(history, conversation, ".JSON")
    files.write(tmp_path / "a", text)
    again = history.tree(files.imported(history, str(tmp_path / "a")))
    assert [node.content for node in again.first] == ["plain", "another beginning"]
    assert again.first[1].children[0].content == "its reply"
    assert again.path[-1].stats == {"tokens_per_second": 12.5, "ending": "stop"}
    assert len(again.path) == 2 * len(HARD)


def test_a_conversation_that_stands_at_its_beginning(history: History, tmp_path: Path) -> None:
    conversation = talk(history)
    history.show(conversation, BEGINNING)
    files.write(tmp_path / "a", files.exported(history, conversation, ".json"))
    again = history.tree(files.imported(history, str(tmp_path / "a")))
    assert again.path == []
    assert len(list(again)) == 2 * len(HARD)


@pytest.mark.parametrize("change", ["\r\n", "one newline", "no newline", "bom"])
def test_markdown_that_an_editor_saved(history: History, tmp_path: Path, change: str) -> None:
    conversation = history.start("pair")
    history.append(conversation, Message("user", "one\ntwo"))
    history.append(conversation, Message("assistant", "three"))
    text = files.exported(history, conversation, ".md")
    data = {
        "\r\n": text.replace("\n", "\r\n").encode(),
        "one newline": text.removesuffix("\n").encode(),
        "no newline": text.rstrip().encode(),
        "bom": text.encode("utf-8-sig"),
    }[change]
    (tmp_path / "a.md").write_bytes(data)
    again = files.imported(history, str(tmp_path / "a.md"))
    assert history.messages(again) == history.messages(conversation)


@pytest.mark.parametrize("whole", [True, False])
def test_a_list_of_messages_of_another_program(
    history: History, tmp_path: Path, whole: bool
) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi", "name": "me"},
        {"role": "assistant", "content": "Hello"},
    ]
    (tmp_path / "a").write_text(json.dumps({"messages": messages} if whole else messages))
    again = history.tree(files.imported(history, str(tmp_path / "a")))
    assert [(node.role, node.content) for node in again.path] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    assert again.path[0].system == "Be brief."


TURN = {"role": "user", "content": "Hi", "after": None}
WHOLE = {"format": "localspec conversation", "version": 1, "shown": 1, "messages": [TURN]}
BAD = {
    "": "can't be imported",
    "{": "can't be imported",
    "null": "can't be imported",
    "[]": "no messages",
    "{}": "messages: Field required",
    "hello": "can't be imported",
    "[1]": "messages.0",
    '[{"role": "tool", "content": "x"}]': "messages.0.role",
    '[{"role": "user", "content": null}]': "messages.0.content",
    '[{"role": "system", "content": "only"}]': "no messages",
    "[" * 100_000: "can't be imported",
    json.dumps(WHOLE | {"version": 2}): "version",
    json.dumps(WHOLE | {"shown": 2}): "no message 2",
    json.dumps(WHOLE | {"shown": 0}): "shown",
    json.dumps(WHOLE | {"messages": [TURN | {"after": 1}]}): "before the one it follows",
    json.dumps(WHOLE | {"messages": [TURN | {"role": "system"}]}): "role system",
    json.dumps(WHOLE | {"updated_at": "yesterday"}): "updated_at",
    json.dumps(WHOLE | {"updated_at": "0001-01-01T00:00:00+14:00"}): "updated_at",
    json.dumps(WHOLE | {"updated_at": "9999-12-31T23:59:59-14:00"}): "updated_at",
    '<!-- localspec conversation {"title": 1} -->\n': "title",
    "<!-- localspec conversation {} -->\n": "title",
    "<!-- localspec something -->\n": "no conversation that localspec exported",
    '<!-- localspec conversation {"title": "", "model": "", "updated_at":'
    ' "2026-01-01T00:00:00+00:00"} -->\n': "no messages",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_one_line_and_changes_nothing(
    history: History, tmp_path: Path, text: str
) -> None:
    (tmp_path / "bad").write_text(text)
    with pytest.raises(UsageError, match=BAD[text]) as refused:
        files.imported(history, str(tmp_path / "bad"))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600
    assert history.conversations() == []
    assert history._database.rows("SELECT id FROM conversation") == []


def test_bytes_that_are_no_text_and_places_that_are_no_file(
    history: History, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe\0")
    for name, said in (("a", "not UTF-8"), ("b", "There is no"), (".", "not a file")):
        with pytest.raises(UsageError, match=said):
            files.imported(history, str(tmp_path / name))
    with pytest.raises(UsageError, match="There is no"):
        files.imported(history, "a\0b")


def test_half_a_character_in_a_file_is_a_question_mark(history: History, tmp_path: Path) -> None:
    (tmp_path / "a").write_text('[{"role": "user", "content": "a\\ud83db"}]')
    again = files.imported(history, str(tmp_path / "a"))
    assert history.messages(again) == [Message("user", "a?b")]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    files.write(tmp_path / "a", "first")
    with pytest.raises(UsageError, match="already"):
        files.write(tmp_path / "a", "second")
    assert (tmp_path / "a").read_text() == "first"
    with pytest.raises(UsageError, match="can't be written: No such file"):
        files.write(tmp_path / "nowhere" / "a", "x")
    with pytest.raises(UsageError, match="can't be written"):
        files.write(Path("a\0b"), "x")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("What is this?", "what-is-this.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("\x1b[31m", "31m.md"),
        ("🙂 --", "conversation.md"),
        ("", "conversation.md"),
        ("日本語 質問", "日本語-質問.md"),
        ("word " * 40, "word-word-word-word-word-word-word-word.md"),
    ],
)
def test_a_name_from_a_title_is_a_plain_name_in_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert str(files.free_name(title, ".md")) == name
    (tmp_path / name).touch()
    assert str(files.free_name(title, ".md")) == name.replace(".md", "-2.md")
