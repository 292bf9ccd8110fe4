"""Which words of a message name files."""

from __future__ import annotations

from pathlib import Path

import pytest

from localspec.tui.folds import Written
from localspec.tui.mentions import mentions, quoted, unmarked, unquoted


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("a.py", "my notes.md", "Makefile", "src/b.c", 'a"b.txt', "end."):
        (tmp_path / name).write_text("text\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see @a.py", ["a.py"]),
        ("@a.py, @src/b.c.", ["a.py", "src/b.c"]),
        ("(see @a.py)", ["a.py"]),
        ("(@a.py)", ["a.py"]),
        ("@Makefile?", ["Makefile"]),
        ("@end.", ["end."]),
        ('@"my notes.md" and more', ["my notes.md"]),
        (r'@"a\"b.txt"', ['a"b.txt']),
        ("@~/a.py", ["~/a.py"]),
        ("first\n@a.py\nlast", ["a.py"]),
        # Mistyped, and plainly meant: these are to be refused.
        ("@inventry.py", ["inventry.py"]),
        ("@./nothing @~/nothing @/nothing/here", ["./nothing", "~/nothing", "/nothing/here"]),
        ("@src/nothing", ["src/nothing"]),
        ('@"no such thing"', ["no such thing"]),
        # Text.
        ("mail a@a.py or x.y@example.org", []),
        ("@property", []),
        ("@app.route('/')\ndef f(): ...", []),
        ("@dataclass(frozen=True)", []),
        ("@pytest.mark.parametrize", []),
        ("@types/node", []),
        ("@somebody, @ and @@a.py", []),
        ("`@a.py` is quoted", []),
        ("```\n@a.py\n```", []),
        ("```css\n@./a.py\n", []),
        ("@" + "x" * 5000, []),
    ],
)
def test_a_word_with_an_at(text: str, paths: list[str]) -> None:
    assert [mention.path for mention in mentions(Written(text))] == paths


def test_what_was_pasted_names_no_file(here: Path) -> None:
    """A pasted page could have had the user's own files attached."""
    pasted = "@a.py @~/a.py\n" * 20
    text = f"@a.py {pasted}@src/b.c"
    written = Written(text, ((6, 6 + len(pasted)),))
    assert [mention.path for mention in mentions(written)] == ["a.py", "src/b.c"]


def test_a_fence_round_a_paste_ends_behind_it() -> None:
    pasted = "some\ncode\n" * 20
    written = Written(f"```\n{pasted}```\nsee @a.py", ((4, 4 + len(pasted)),))
    assert [mention.path for mention in mentions(written)] == ["a.py"]


def test_the_message_has_plain_names() -> None:
    """A message that was edited and sent again had its files twice."""
    text = 'compare @a.py, @"my notes.md" and @property'
    assert unmarked(text, mentions(Written(text))) == "compare a.py, my notes.md and @property"


@pytest.mark.parametrize("path", ["a.py", "my notes.md", 'a"b', "a\\b", "end.", "a)", "(a", "it's"])
def test_a_quoted_path_is_read_back(path: str, here: Path) -> None:
    (here / path).write_text("text\n")
    assert [found.path for found in mentions(Written(f"see @{quoted(path)}, please"))] == [path]
    if quoted(path) != path:
        assert unquoted(quoted(path)) == unquoted(quoted(path, closed=False)) == path
