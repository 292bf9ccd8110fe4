"""`localspec locate`."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from tests.cli.invoke import invoke


def test_one_place(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "locate", "data").out == f"{own_home / 'data'}\n"
    assert invoke(capsys, "locate", "hub").out == f"{constants.HF_HUB_CACHE}\n"
    assert invoke(capsys, "locate", "nowhere").code == 2


def test_every_place(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = invoke(capsys, "locate").out.splitlines()
    names = ["config", "data", "cache", "models", "hub", "log", "history", "themes"]
    assert [line.split()[0] for line in lines] == names
