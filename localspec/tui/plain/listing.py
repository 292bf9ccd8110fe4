"""Lists as lines."""

from __future__ import annotations

from collections.abc import Collection

from localspec.chat.history import History
from localspec.tui.commands import COMMANDS
from localspec.tui.plain.entering import QUOTES


def help_lines(names: Collection[str]) -> list[str]:
    lines = [
        f"/{name} {taken}".strip() + f": {meaning}"
        for name, (taken, meaning) in COMMANDS.items()
        if name in names
    ]
    return [
        *lines,
        "/sessions N: open conversation N",
        f"{QUOTES} begins a message of several lines, and ends it.",
        "Ctrl+C stops a reply; at the prompt, twice quits. So does Ctrl+D.",
    ]


def session_lines(history: History, words: str) -> list[str]:
    """The newest twenty."""
    found = history.search(words)
    lines = [
        f"{each.id}, {each.updated_at.astimezone():%Y-%m-%d %H:%M}, {each.title}"
        for each in found[:20]
    ]
    if len(found) > len(lines):
        lines.append(f"{len(found) - len(lines):,} more; /search TEXT finds them.")
    if not found:
        return ["Nothing was found." if words else "There is no conversation yet."]
    return [*lines, "/sessions N opens one."]
