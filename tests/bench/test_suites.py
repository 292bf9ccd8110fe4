"""Prompts, shipped and one's own."""

import pytest

from localspec.bench.suites import KINDS, Prompt, load_suite
from localspec.errors import UsageError


def test_the_shipped_suites_are_whole() -> None:
    assert len(load_suite("spec")) == 90
    assert len(load_suite("edit")) == 4
    assert [p.category for p in load_suite("kinds")] == list(KINDS)
    assert [p.category for p in load_suite("kinds", 2)] == [k for k in KINDS for _ in range(2)]
    assert len(load_suite("spec", per_category=2)) == 26


def test_an_own_suite_is_read_or_refused_by_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("suite") / "own.jsonl"
    path.write_text('{"prompt": "Hello"}\n\n{"category": "x", "turns": ["One", "Two"]}\n')
    assert load_suite(str(path)) == [Prompt("all", "Hello"), Prompt("x", "One")]
    for line in ("[]", "{}", '{"turns": []}', '{"prompt": 3}', "nonsense", '{"prompt": " "}'):
        path.write_text('{"prompt": "fine"}\n' + line + "\n")
        with pytest.raises(UsageError, match="Line 2 of the suite"):
            load_suite(str(path))
    path.write_text("")
    with pytest.raises(UsageError, match="holds no prompts"):
        load_suite(str(path))
    with pytest.raises(UsageError, match="can't be read"):
        load_suite(str(path) + ".absent")
