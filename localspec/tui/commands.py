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
    "new": ("", "start a new conversation; the one before is kept"),
    "sessions": ("", "all conversations: search, open, rename, delete"),
    "search": ("TEXT", "the conversations in which this was said"),
    "retry": ("", "another reply; the one that is there stays as a version"),
    "edit": ("", "change your last message and send it again, as another version"),
    "undo": ("", "take back your last message, or a delete"),
    "continue": ("", "go on with the last reply where it was stopped"),
    "fork": ("", "go on in a new conversation, from the last turn"),
    "copy": (
        "[N]",
        "copy the last reply as the model wrote it, or its code block N; code: the last",
    ),
    "save": ("[FILE]", "write the last reply to a file"),
    "export": ("[FILE]", "write the conversation to a file: Markdown, or everything as .json"),
    "import": ("FILE", "open a conversation from such a file"),
    "rename": ("TITLE", "call the conversation so; off takes the first message again"),
    "delete": ("", "delete the conversation; /undo brings it back until you quit"),
    "settings": ("", "sampling, speculation, context and system prompt"),
    "preset": ("[NAME]", "a named system prompt with its sampling; save NAME, delete NAME"),
    "model": ("[NAME]", "change the model, keep the conversation; without a name, the list"),
    "models": ("", "all models: what fits here, pull, take, delete"),
    "spec": ("MODE", "where drafts come from: auto, off, draft, suffix or predicted"),
    "k": ("N", "tokens drafted in a round, or auto"),
    "file": ("FILE", "attach a text file to the next message; off takes it back"),
    "compare": ("[PROMPT]", "race speculation off against on; without a prompt: the last question"),
    "predict": ("FILE", "most of the next reply will be this file's text; off takes it back"),
    "system": ("TEXT", "set the system prompt; off removes it"),
    "temp": ("X", "temperature; 0 is greedy"),
    "xray": ("[MODE]", "raw replies with each token marked: on, rejected (drafts too) or off"),
    "stats": ("", "every number of the last reply and of the conversation"),
    "thinking": ("", "unfold the newest thinking, or fold it again"),
    "theme": ("[NAME]", "change the colours; without a name, look at them first"),
    "palette": ("", "every action and command, to search"),
    "restart": ("", "load the model again"),
    "quit": ("", "leave"),
}
"""Name to argument and meaning."""

_OTHER_NAMES = {
    "clear": "new",
    "reset": "new",
    "regen": "retry",
    "exit": "quit",
    "bye": "quit",
    "?": "help",
}
"""What other programs call them."""


def needs_argument(name: str) -> bool:
    taken, _ = COMMANDS[name]
    return bool(taken) and not taken.startswith("[")


def beginning_with(text: str) -> list[str]:
    """The commands that a line may become while its name is being typed."""
    if not text.startswith("/") or any(char.isspace() for char in text):
        return []
    return [name for name in COMMANDS if name.startswith(text[1:].lower())]


def parse(text: str) -> Command | None:
    """The command in a line that starts with a slash; None for a message. Raises UsageError."""
    if not text.startswith("/"):
        return None
    name, _, argument = text[1:].strip().partition(" ")
    name = _OTHER_NAMES.get(name.lower(), name.lower())
    if name not in COMMANDS:
        near = get_close_matches(name[:30], COMMANDS, n=1)
        hint = f"Did you mean /{near[0]}?" if near else "/help lists them."
        sending = "A space before the slash sends it as a message; Up brings it back."
        shown = name.split("\n")[0][:30]
        raise UsageError(f"There is no command /{shown}.", f"{hint} {sending}")
    return Command(name, argument.strip())
