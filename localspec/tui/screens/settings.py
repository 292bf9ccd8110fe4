"""What replies are made with, in one panel: applied at once, in force from the next reply on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Grid, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from localspec.errors import LocalspecError
from localspec.tui.options import CONTEXT, SAMPLING, SPECULATION, Options
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.field import Field
from localspec.tui.widgets.text_field import TextField

_NAMES = {
    "top_k": "top-k",
    "top_p": "top-p",
    "min_p": "min-p",
    "num_draft_tokens": "draft tokens",
    "spec": "speculation",
    "ctx": "context",
}


class _Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Up and down are left to the screen: they go from field to field."""

    BINDINGS = [
        Binding("pageup", "page_up", show=False, id="settings.page_up"),
        Binding("pagedown", "page_down", show=False, id="settings.page_down"),
    ]


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
        self._system = TextField(
            displayable(system), compact=True, id="system", tab_behavior="focus"
        )
        meanings = {name: meaning for name, (_, meaning) in SAMPLING.items()}
        self._meanings = meanings | SPECULATION | CONTEXT
        texts = options.texts
        self._fields = {name: Field(texts[name], id=f"field-{name}") for name in self._meanings}
        self._before = texts
        self._fault = Static(id="settings-fault")
        self._fault.display = False

    def compose(self) -> ComposeResult:
        with _Fields(id="settings"):
            yield Static("Settings, from the next reply on", classes="title")
            with Grid():
                for name, field in self._fields.items():
                    yield Static(_NAMES.get(name, name.replace("_", " ")))
                    yield field
                    yield Static(self._meanings[name], classes="meaning", markup=False)
            yield Static("system prompt", classes="label")
            yield self._system
            yield Static(
                "Tab goes on, Ctrl+J makes a new line, /preset save NAME keeps all this.",
                classes="meaning",
            )
        yield self._fault
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
            self._refuse(texts, str(error))
            return
        system = self._system.text
        same = system == displayable(self._system_before)
        self.dismiss((reload, self._system_before if same else system.strip()))

    def _refuse(self, texts: Mapping[str, str], why: str) -> None:
        self._fault.update(Content(f"✗ {displayable(why)}"))
        self._fault.display = True
        for name, text in texts.items():
            try:
                replace(self._options).apply({name: text})
            except LocalspecError:
                self._fields[name].focus()
                break
        if self.focused is not None:
            # The line of the fault has taken some of the fields' room.
            self.call_after_refresh(self.focused.scroll_visible, animate=False)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def key_ctrl_j(self) -> None:
        if self._system.has_focus:
            self._system.insert("\n")
