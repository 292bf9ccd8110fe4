"""What `--help` prints."""

import inspect

import pytest
from typer.models import CommandInfo

from localspec.cli import catalog, main

COMMANDS = [*main.app.registered_commands, *catalog.app.registered_commands]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.callback.__name__)
def test_a_paragraph_is_one_line(command: CommandInfo) -> None:
    """Typer keeps the source's line breaks: on 80 columns every other line had two words."""
    assert command.callback is not None
    text = inspect.getdoc(command.callback) or ""
    assert text
    assert [part for part in text.split("\n\n") if "\n" in part] == []
