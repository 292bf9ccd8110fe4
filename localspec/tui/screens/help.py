"""Keys and commands on one page."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Grid, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from localspec.tui.commands import COMMANDS

_KEYS = {
    "f1": "this page; f1 or esc closes it",
    "enter": "send",
    "ctrl+j, alt+enter": "new line",
    "tab": "the rest of a command's name",
    "up, down": "what you sent before, at the edges of the text",
    "pageup, pagedown": "scroll the conversation",
    "ctrl+end": "back to the newest text",
    "esc": "stop the reply and keep what there is; take back what waits for the model; leave an"
    " edit",
    "ctrl+s": "conversations: search, open; there ctrl+r renames, ctrl+d deletes, ctrl+z undoes",
    "ctrl+n": "a new conversation",
    "ctrl+r": "another reply to your last message",
    "left, right": "in an empty prompt: the other versions of the last turn that has some",
    "f9, ctrl+up": "choose a turn by up and down: e edits, r retries, c continues, f forks from"
    " it, y copies it, left and right show its versions, esc goes back",
    "ctrl+o": "models: type to find one, enter takes it or pulls it, ctrl+x cancels a pull, ctrl+d"
    " deletes; user/repo or name:QUANT is asked of the hub first",
    "f8": "settings: enter applies, esc leaves all as it is",
    "f2": "speculation off, or on again, from the next reply",
    "f3": "marks of tokens off, or on again",
    "f4": "x-ray: this session's replies as raw text, each token marked; again: with the rejected"
    " drafts; again: off; a version that is called back is Markdown",
    "f5": "load the model again",
    "ctrl+c": "copy a selection, stop the reply, or quit when pressed twice",
    "ctrl+p": "palette, themes among its entries",
    "ctrl+q": "quit",
}


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
    """Closed by the key that opened it, or escape."""

    BINDINGS = [Binding("escape,f1,q,enter", "dismiss", "Close", show=False)]

    def compose(self) -> ComposeResult:
        commands = {f"/{name} {taken}".strip(): what for name, (taken, what) in COMMANDS.items()}
        with VerticalScroll(id="help"):
            for title, rows in (("Commands", commands), ("Keys", _KEYS), ("Marks", _MARKS)):
                yield Static(title, classes="title")
                with Grid():
                    for name, what in rows.items():
                        yield Static(name, markup=False)
                        yield Static(what, classes="meaning", markup=False)
