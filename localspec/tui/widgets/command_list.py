"""The commands that what is being typed may become."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from localspec.tui.commands import COMMANDS, beginning_with

_MOST = 8
_WIDTH = 18


class CommandList(Static):
    """Takes no room while no command is being typed."""

    def offer(self, text: str) -> None:
        names = beginning_with(text)
        self.display = bool(names)
        lines = [_line(name) for name in names[:_MOST]]
        if len(names) > _MOST:
            lines.append(f"… {len(names) - _MOST} more, /help lists them all")
        self.update(Content("\n".join(lines)))


def _line(name: str) -> str:
    taken, meaning = COMMANDS[name]
    return f"{f'/{name} {taken}':<{_WIDTH}} {meaning}"
