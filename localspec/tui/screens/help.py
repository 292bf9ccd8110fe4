"""Keys, commands and marks on one page."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Grid, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from localspec.tui.commands import COMMANDS
from localspec.tui.keymap import Keymap
from localspec.tui.present_keys import TEXTUALS, present_keys

_WRITING = {
    "tab": "take what the list offers for a command, its argument or a file behind an @; up and"
    " down choose, esc closes the list",
    "up, down": "what you sent before, at the edges of the text",
    "left, right": "in an empty prompt: the other versions of the last turn that has some",
}
"""Keys of the prompt that mean something else within its text."""

_MARKS = {
    "plain": "a token of the target's own",
    "underlined": "guessed by the draft model, and accepted by the target",
    "bold and underlined": "accepted too, but copied from what was said before (suffix)",
    "bold": "accepted too, but copied from a code block or a file that you gave (predicted)",
    "~struck out~": "a draft that the target rejected, in the x-ray; never part of the reply",
    "● active": "drafts were tested in the last reply",
    "○ idle, ○ off": "nothing was drafted in the last reply, or can be any more; the reason",
    "·": "no reply has told yet whether drafts are tested",
    "tok/s": "tokens per second of the reply, without the time of reading the prompt",
    "▂▅▇": "the newest passes: the higher, the more tokens",
    "now": "tokens per second over the last second",
    "1.9x": "times as fast as plain decoding, as measured in this conversation: on passes without"
    " drafts, or before there are enough on one that was timed at the load",
    "accepted": "the share of the tested drafts that the target agreed with, then the same by"
    " place in the draft, the first on the left",
    "a pass": "tokens for each pass of the target that tested drafts, its own one among them",
    "drafted": "tokens that the newest pass tested",
    "prefill": "part of the time that went into reading the prompt; then into guessing (draft),"
    " into the target's passes (verify), into choosing tokens (sampling)",
    "GB": "main memory of the engine's process, the models' among it",
    "? context": "known with the next reply",
}


class HelpScreen(ModalScreen[None]):
    """Help for what has focus. Closed by the key that opened it, or escape."""

    BINDINGS = [Binding("escape,q,enter", "dismiss", "Close", show=False, id="help.close")]

    def __init__(self, screen: Screen[Any], keymap: Keymap) -> None:
        """`screen` is the one that the help is about."""
        super().__init__()
        self._sections = _sections(screen, keymap)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            for title, rows in self._sections.items():
                yield Static(title, classes="title", markup=False)
                with Grid():
                    for name, what in rows:
                        yield Static(name, markup=False)
                        yield Static(what, classes="meaning", markup=False)
            yield Static("esc closes", classes="way-out")


Rows = list[tuple[str, str]]


def _sections(screen: Screen[Any], keymap: Keymap) -> dict[str, Rows]:
    present = present_keys(screen, keymap)
    keys = {title: [(row.shown, row.meaning) for row in rows] for title, rows in present.items()}
    own = [title for title in keys if title not in TEXTUALS]
    sections = {title: keys.pop(title) for title in own}
    if "Writing" in sections:
        sections["Writing"] += _WRITING.items()
    if "The chat" in sections:
        commands = [(f"/{name} {taken}".strip(), what) for name, (taken, what) in COMMANDS.items()]
        sections |= {"Commands": commands, "Marks": list(_MARKS.items())}
    return sections | keys
