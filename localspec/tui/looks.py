"""Which theme is in force: set for this start, or else chosen on the screen and remembered."""

from __future__ import annotations

from difflib import get_close_matches

from textual.app import App

from localspec.errors import UsageError
from localspec.settings import Settings
from localspec.tui import remembered
from localspec.tui.screens.themes import ThemeScreen
from localspec.tui.themes import DEFAULT, PREFIX, load_themes
from localspec.tui.untrusted import displayable

_THEME = "theme"


class Looks:
    """Reads the theme files; one that is broken is a notice."""

    def __init__(self, app: App[None], settings: Settings) -> None:
        self._app = app
        self._is_set = _THEME in settings.model_fields_set
        """By a flag, the environment or the config file: that is stronger than a choice."""
        self._wanted = settings.theme if self._is_set else remembered.recall(_THEME)
        self._names: list[str] = []

    def begin(self) -> None:
        self._read_files()
        name = self._wanted or DEFAULT
        if name not in self._app.available_themes:
            self._warn(f"There is no theme {name}; /theme lists them.")
            name = DEFAULT if DEFAULT in self._app.available_themes else "textual-dark"
        self._app.theme = name

    def choose(self, name: str) -> str:
        """Take a theme and remember it; returns a sentence about that. Raises UsageError."""
        self._read_files()
        known = self._app.available_themes
        full = name if name in known else PREFIX + name
        if full not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else "/theme shows them all."
            raise UsageError(f"There is no theme {name}.", hint)
        self._app.theme = full
        return self._keep(full)

    def open(self) -> None:
        """Let the user look at them."""
        self._read_files()
        self._app.push_screen(ThemeScreen(self._names), self._chosen)

    def _chosen(self, name: str | None) -> None:
        if name is not None:
            self._app.notify(self._keep(name), markup=False)

    def _keep(self, name: str) -> str:
        try:
            remembered.remember(_THEME, name)
        except OSError as error:
            return f"Theme {name}; it can't be remembered: {error.strerror}."
        if self._is_set:
            return f"Theme {name}, until you quit: at the start it is set in another place."
        return f"Theme {name}."

    def _read_files(self) -> None:
        themes = load_themes()
        self._names = [theme.name for theme in themes.loaded]
        for theme in themes.loaded:
            self._app.register_theme(theme)
        for fault in themes.faults:
            self._warn(fault)

    def _warn(self, text: str) -> None:
        self._app.notify(displayable(text), severity="warning", markup=False)
