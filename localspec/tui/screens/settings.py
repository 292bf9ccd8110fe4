"""What replies are made with, in one panel: applied at once, in force from the next reply on."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Grid, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static, TextArea

from localspec.errors import LocalspecError
from localspec.tui.options import CONTEXT, SAMPLING, SPECULATION, Options
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.field import Field

_NAMES = {
    "top_k": "top-k",
    "top_p": "top-p",
    "min_p": "min-p",
    "num_draft_tokens": "draft tokens",
    "spec": "speculation",
    "ctx": "context",
}


class SettingsScreen(ModalScreen["tuple[bool, str] | None"]):
    """Closes with whether the model must be loaded again and the system prompt, or None."""

    AUTO_FOCUS = "Input"
    BINDINGS = [
        Binding("enter", "apply", "Apply", priority=True, id="settings.apply"),
        Binding("escape,f8", "cancel", "Cancel", priority=True, id="settings.cancel"),
        Binding("down", "app.focus_next", "Next", show=False, id="settings.next"),
        Binding("up", "app.focus_previous", "Previous", show=False, id="settings.previous"),
    ]

    def __init__(self, options: Options, system: str) -> None:
        super().__init__()
        self._options = options
        self._system_before = system
        self._system = TextArea(
            displayable(system), compact=True, id="system", tab_behavior="focus"
        )
        meanings = {name: meaning for name, (_, meaning) in SAMPLING.items()}
        self._meanings = meanings | SPECULATION | CONTEXT
        texts = options.texts
        self._fields = {name: Field(texts[name], id=f"field-{name}") for name in self._meanings}
        self._before = texts
        self._fault = Static(id="settings-fault")

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="settings", can_focus=False):
            yield Static("Settings, from the next reply on", classes="title")
            with Grid():
                for name, field in self._fields.items():
                    yield Static(_NAMES.get(name, name.replace("_", " ")))
                    yield field
                    yield Static(self._meanings[name], classes="meaning", markup=False)
            yield Static("system prompt", classes="label")
            yield self._system
            yield self._fault
            yield Static(
                "Tab goes on, Ctrl+J makes a new line, /preset save NAME keeps all this.",
                classes="meaning",
            )
        yield Footer(show_command_palette=False, compact=True)

    def action_apply(self) -> None:
        # What was not touched may have been changed elsewhere meanwhile.
        texts = {
            name: field.value
            for name, field in self._fields.items()
            if field.value != self._before[name]
        }
        try:
            reload = self._options.apply(texts)
        except LocalspecError as error:
            self._fault.update(Content(f"✗ {displayable(str(error))}"))
            self._fault.scroll_visible(animate=False)
            return
        system = self._system.text
        same = system == displayable(self._system_before)
        self.dismiss((reload, self._system_before if same else system.strip()))

    def action_cancel(self) -> None:
        self.dismiss(None)

    def key_ctrl_j(self) -> None:
        if self._system.has_focus:
            self._system.insert("\n")
