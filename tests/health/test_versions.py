"""Versions that don't work together are named, with the command that gets others."""

import re
import tomllib
from pathlib import Path

import pytest

from localspec.health import versions


def test_the_ranges_are_those_that_are_installed() -> None:
    """A range that is changed in one place only would call a good installation broken."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[><=]", each)[0]: each for each in project["dependencies"]}
    for name in versions.SUPPORTED:
        assert declared[name] == versions.requirement(name)


@pytest.mark.parametrize(
    ("name", "version", "fits"),
    [
        ("llama-cpp-python", "0.3.36", True),
        ("llama-cpp-python", "0.3.36+cu124", True),
        ("llama-cpp-python", "0.3.9", False),
        ("llama-cpp-python", "0.3.37", False),
        ("huggingface-hub", "1.0.0", True),
        ("huggingface-hub", "0.36.1", False),
        ("huggingface-hub", "3.0.0rc1", False),
        ("huggingface-hub", "2.10.0", True),
        ("textual", "", False),
        ("textual", "strange", False),
    ],
)
def test_what_is_supported(name: str, version: str, fits: bool) -> None:
    assert versions.is_supported(name, version) is fits


def test_a_misfit_is_broken_and_has_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """B50: after an ordinary upgrade the first reply failed with an attribute error."""
    installed = {"llama-cpp-python": "0.4.0", "textual": ""}
    monkeypatch.setattr(versions, "_version", lambda name: installed.get(name, "0"))
    monkeypatch.setattr(
        versions, "SUPPORTED", {name: versions.SUPPORTED[name] for name in installed}
    )
    _, [llama, textual] = versions.versions()
    assert llama.is_broken
    assert "is 0.4.0; localspec works with 0.3.36 to below 0.3.37" in llama.text
    assert "llama-cpp-python>=0.3.36,<0.3.37" in llama.command
    assert "textual is not installed" in textual.text
