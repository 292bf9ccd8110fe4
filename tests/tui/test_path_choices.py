"""The paths that are offered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from localspec.tui import path_choices as module
from localspec.tui.arguments import argument_choices, file_choices


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    for folder in ("home/deep", "proj/src", "proj/.git"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (
        "home/h.txt",
        "proj/a.py",
        "proj/A.md",
        "proj/my notes.md",
        "proj/.env",
        "proj/b",
    ):
        (tmp_path / name).write_text("text\n")
    monkeypatch.chdir(tmp_path / "proj")
    monkeypatch.setenv("HOME", str(home))
    return tmp_path


def offered(written: str) -> list[str]:
    return [choice.text for choice in file_choices(written).choices]


@pytest.mark.parametrize(
    ("written", "choices"),
    [
        ("", ["A.md", "a.py", "b", '"my notes.md"', "src/"]),
        ("a", ["a.py"]),
        ("A", ["A.md"]),
        ("M", ['"my notes.md"']),
        ('"my', ['"my notes.md"']),
        (".", [".env", ".git/"]),
        ("./a", ["./a.py"]),
        ("~", ["~/"]),
        ("~/", ["~/deep/", "~/h.txt"]),
        ("../home/h", ["../home/h.txt"]),
        ("zz", []),
        ("nowhere/", []),
        ("a.py/", []),
        ("~nobody-here/", []),
        ("a\0", []),
        ("x" * 5000 + "/", []),
    ],
)
def test_what_a_path_may_become(written: str, choices: list[str]) -> None:
    assert offered(written) == choices


def test_absolute_paths_are_offered(here: Path) -> None:
    assert offered(f"{here}/proj/s") == [f"{here}/proj/src/"]


def test_the_quote_of_a_directory_stays_open() -> None:
    Path("my dir").mkdir()
    Path("my dir/x.py").touch()
    assert offered("my d") == ['"my dir/']
    assert offered('"my dir/') == ['"my dir/x.py"']


def test_names_that_nobody_can_type_are_left_out() -> None:
    for name in (b"bad\xff", b"new\nline", b"esc\x1b[31m"):
        Path(os.fsdecode(name)).touch()
    assert not {"bad", "new", "esc"} & {choice[:3] for choice in offered("")}


def test_a_huge_directory_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("many").mkdir()
    for number in range(60):
        (Path("many") / f"{number:03}").touch()
    monkeypatch.setattr(module, "_MOST_READ", 50)
    monkeypatch.setattr(module, "_MOST", 20)
    found = file_choices("many/")
    assert len(found.choices) == 20
    assert not found.are_all


def test_an_entry_that_is_gone_or_goes_in_circles_is_offered_as_a_name() -> None:
    Path("circle").symlink_to("circle")
    assert offered("ci") == ["circle"]


@pytest.mark.parametrize(
    ("command", "written", "choices"),
    [
        ("spec", "", ["auto", "off", "draft", "suffix", "predicted"]),
        ("spec", "su", ["suffix"]),
        ("xray", "", ["on", "rejected", "off"]),
        ("file", "a", ["a.py"]),
        ("predict", "of", ["off"]),
        ("file", "my", ["my notes.md"]),
        ("theme", "localspec-l", []),
        ("preset", "", ["save "]),
        ("temp", "", []),
        ("help", "", []),
    ],
)
def test_what_an_argument_may_become(command: str, written: str, choices: list[str]) -> None:
    assert [choice.text for choice in argument_choices(command, written).choices] == choices


def test_models_and_themes_are_offered_by_name() -> None:
    names = [choice.text for choice in argument_choices("model", "smollm2").choices]
    assert "smollm2-135m" in " ".join(names)
    assert "light" in [choice.text for choice in argument_choices("theme", "lig").choices]
