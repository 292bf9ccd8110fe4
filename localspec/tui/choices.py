"""What a text that is being typed may become."""

from __future__ import annotations

import re
from dataclasses import dataclass

from localspec.tui.commands import COMMANDS, beginning_with


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things that it may become."""

    text: str
    """What takes the place of what is written."""
    shown: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """In the order in which they are offered."""

    choices: tuple[Choice, ...] = ()
    are_all: bool = True
    """Whether there are no more, which were left out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The part of the line that ends at the cursor and is being completed."""

    kind: str
    """`/` for a command, `@` for a file, or the command whose argument it is."""
    written: str
    start: int
    """Its first column."""


_COMMAND = re.compile(r"/(\S*)$")
_ARGUMENT = re.compile(r"/([a-z]+)[ ]+")
_FILE = re.compile(r'(?:^|[\s(\[{])@("(?:[^"\\]|\\.)*|[^\s"]\S*|)$')


def asked(text: str, row: int, column: int) -> Asked | None:
    """What can be completed at this place; None for nothing."""
    line = text.split("\n")[row][:column]
    if text.startswith("/"):
        if "\n" in text or column < len(text):
            return None
        if _COMMAND.match(line):
            return Asked("/", line, 0)
        argument = _ARGUMENT.match(line)
        return Asked(argument[1], line[argument.end() :], argument.end()) if argument else None
    file = _FILE.search(line)
    return Asked("@", file[1], file.start(1)) if file else None


def commands(written: str) -> Choices:
    return Choices(tuple(_command(name) for name in beginning_with(written)))


def _command(name: str) -> Choice:
    taken, meaning = COMMANDS[name]
    return Choice(f"/{name} " if taken else f"/{name}", f"/{name} {taken}".strip(), meaning)


def matching(written: str, choices: list[Choice]) -> Choices:
    """Those that begin with it, then those that have it inside."""
    part = written.casefold()
    begin = [each for each in choices if each.text.casefold().startswith(part)]
    inside = [each for each in choices if part in each.text.casefold() and each not in begin]
    return Choices(tuple(begin + inside))
