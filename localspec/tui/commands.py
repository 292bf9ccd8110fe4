"""The slash commands: their names, what they take, what they do."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from localspec.errors import UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """A line that is an order to the screen, not a message to the model."""

    name: str
    argument: str = ""


COMMANDS: dict[str, tuple[str, str]] = {
    "help": ("", "keys and commands"),
    "model": ("NAME", "change the model, keep the conversation"),
    "spec": ("MODE", "where drafts come from: auto, off, draft, suffix or predicted"),
    "file": ("FILE", "attach a text file to the next message; off takes it back"),
    "predict": ("FILE", "most of the next reply will be this file's text; off takes it back"),
    "system": ("TEXT", "set the system prompt; off removes it"),
    "temp": ("X", "temperature; 0 is greedy"),
    "xray": ("MODE", "raw replies with each token marked: on, rejected (drafts too) or off"),
    "theme": ("NAME", "change the colours; without a name, look at them first"),
    "clear": ("", "start a new conversation"),
    "restart": ("", "load the model again"),
    "quit": ("", "leave"),
}
"""Name to argument and meaning."""


def parse(text: str) -> Command | None:
    """The command in a line that starts with a slash; None for a message. Raises UsageError."""
    if not text.startswith("/"):
        return None
    name, _, argument = text[1:].strip().partition(" ")
    name = name.lower()
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"Did you mean /{near[0]}?" if near else "/help lists them."
        sending = "A space before the slash sends it as a message; Up brings it back."
        shown = name.split("\n")[0][:30]
        raise UsageError(f"There is no command /{shown}.", f"{hint} {sending}")
    return Command(name, argument.strip())
