"""`localspec keys`: the ids that the config uses."""

from __future__ import annotations

import json

import pytest

from localspec import paths
from tests.cli.invoke import invoke

Capsys = pytest.CaptureFixture[str]


def test_it_lists_ids_keys_and_meanings(capsys: Capsys) -> None:
    done = invoke(capsys, "keys")
    assert done.code == 0
    assert "chat.speculation" in done.out
    assert "speculation off, or on again" in done.out


def test_remapped_keys_are_listed_and_faults_said(capsys: Capsys) -> None:
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text('[keys]\nchat.xray = "f12"\nchat.none = "f10"\n')
    done = invoke(capsys, "keys", "--json")
    [xray] = [row for row in json.loads(done.out) if row["id"] == "chat.xray"]
    assert (xray["keys"], xray["default"]) == (["f12"], ["f4"])
    assert "[keys] chat.none: there is no such action" in done.err


@pytest.mark.parametrize("text", ["keys = 3", 'keys = "f2"', "keys = []"])
def test_a_table_that_is_none_is_one_line(capsys: Capsys, text: str) -> None:
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text(text)
    done = invoke(capsys, "keys")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
