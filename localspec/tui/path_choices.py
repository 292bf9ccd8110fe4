"""The files and directories that a path which is being typed may become."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from localspec.tui.choices import Choice, Choices
from localspec.tui.figures import size
from localspec.tui.untrusted import displayable

_MOST_READ = 20_000
"""Entries of a directory; there may be millions."""
_MOST = 200


def path_choices(written: str, as_text: Callable[[str, bool], str]) -> Choices:
    """Blocks. `as_text` writes a path, which may be one of a directory."""
    if written == "~":
        return Choices((Choice("~/", "~/", "directory"),))
    folder, slash, prefix = written.rpartition("/")
    try:
        with os.scandir(Path(folder + slash).expanduser() if slash else ".") as entries:
            read = list(islice(entries, _MOST_READ + 1))
    except (OSError, ValueError, RuntimeError):
        return Choices()
    fitting = _fitting(read[:_MOST_READ], prefix)
    choices = tuple(_choice(folder + slash, entry, as_text) for entry in fitting[:_MOST])
    return Choices(choices, len(fitting) <= _MOST and len(read) <= _MOST_READ)


def _fitting(entries: list[os.DirEntry[str]], prefix: str) -> list[os.DirEntry[str]]:
    part = prefix.casefold()
    named = [
        entry
        for entry in entries
        if entry.name.casefold().startswith(part)
        # Hidden ones are offered to who asks for them; nobody can type a control character.
        and (prefix.startswith(".") or not entry.name.startswith("."))
        and entry.name == displayable(entry.name)
        and "\n" not in entry.name
    ]
    exact = [entry for entry in named if entry.name.startswith(prefix)]
    return sorted(exact or named, key=lambda entry: (entry.name.casefold(), entry.name))


def _choice(folder: str, entry: os.DirEntry[str], as_text: Callable[[str, bool], str]) -> Choice:
    try:
        if entry.is_dir():
            return Choice(as_text(f"{folder}{entry.name}/", True), f"{entry.name}/", "directory")
        meaning = size(entry.stat().st_size)
    except OSError:
        meaning = ""
    return Choice(as_text(folder + entry.name, False), entry.name, meaning)
