"""Runs a command in this process, as `localspec` would, and keeps what it wrote."""

from dataclasses import dataclass

import pytest

from localspec.cli.failure import exit_on_failure
from localspec.cli.main import app


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def invoke(capsys: pytest.CaptureFixture[str], *args: str) -> Result:
    capsys.readouterr()
    code = exit_on_failure(app, list(args), False)
    captured = capsys.readouterr()
    return Result(code, captured.out, captured.err)
