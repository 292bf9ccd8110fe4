"""`localspec locate`."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from tests.cli.invoke import invoke


def test_one_place(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "locate", "data").out == f"{own_home / 'data'}\n"
    assert invoke(capsys, "locate", "hub").out == f"{constants.HF_HUB_CACHE}\n"


def test_an_unknown_place_lists_the_choices(
    own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal began with "Value error" and named no sentence of ours."""
    done = invoke(capsys, "locate", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        'localspec: "nowhere" is no place. Choose from: config, data, cache, models, hub, log,'
        " history, state, themes, presets.\n"
    )


def test_every_place(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = invoke(capsys, "locate").out.splitlines()
    names = "config data cache models hub log history state themes presets"
    assert [line.split()[0] for line in lines] == names.split()
