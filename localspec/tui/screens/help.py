"""Keys and commands on one page."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from localspec.tui.commands import COMMANDS

_KEYS = {
    "enter": "send",
    "ctrl+j, alt+enter": "new line",
    "up, down": "what you sent before, at the edges of the text",
    "pageup, pagedown": "scroll the conversation",
    "ctrl+end": "back to the newest text",
    "esc": "stop the reply, keep what there is",
    "f2": "speculation on or off, from the next reply",
    "f5": "load the model again",
    "ctrl+c": "copy a selection, stop the reply, or quit when pressed twice",
    "ctrl+p": "palette, themes among its entries",
    "ctrl+q": "quit",
}


class HelpScreen(ModalScreen[None]):
    """Closed by the key that opened it, or escape."""

    BINDINGS = [Binding("escape,f1,q,enter", "dismiss", "Close", show=False)]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static(self._page())

    def _page(self) -> Content:
        commands = {f"/{name} {taken}".strip(): what for name, (taken, what) in COMMANDS.items()}
        width = max(len(name) for name in (*commands, *_KEYS)) + 3
        parts: list[str | tuple[str, str]] = []
        for title, rows in (("Commands", commands), ("Keys", _KEYS)):
            parts.append((f"{title}\n", "bold $primary"))
            for name, what in rows.items():
                parts += [(f"{name:<{width}}", "$foreground"), (f"{what}\n", "$text-muted")]
            parts.append("\n")
        marks = (
            "In the running reply, underlined tokens were drafted and accepted; the others are\n"
        )
        parts += [(marks + "the target's own. ● means that drafts were tested.", "$text-muted")]
        return Content.assemble(*parts)
