"""The palette: every action that can be done now, and every command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import FuzzySearch

from localspec.tui.commands import COMMANDS
from localspec.tui.key_names import shown
from localspec.tui.present_keys import TEXTUALS, present_keys
from localspec.tui.screens.chat import ChatScreen

if TYPE_CHECKING:
    from localspec.tui.app import ChatApp

_NAME, _KEYS = 18, 18
"""Columns of a line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette."""

    name: str
    keys: str
    meaning: str
    run: Callable[[], Awaitable[object]]

    @property
    def line(self) -> str:
        return f"{self.name:<{_NAME}} {self.keys:<{_KEYS}} {self.meaning}"


class Entries(Provider):
    """Actions of what had focus, of its screen and of the app; the commands on the chat screen."""

    async def discover(self) -> Hits:
        for entry in entries(self):
            yield DiscoveryHit(_quiet(Content(entry.line), entry), entry.run, text=entry.name)

    async def search(self, query: str) -> Hits:
        fuzzy = FuzzySearch()
        for entry in entries(self):
            by_name, _ = fuzzy.match(query, entry.name)
            score, places = fuzzy.match(query, entry.line)
            if score > 0:
                # Textual's own highlighting would read [FILE] as markup.
                line = _quiet(Content(entry.line), entry)
                for place in places:
                    line = line.stylize(self.match_style or "bold", place, place + 1)
                yield Hit(max(2 * by_name, score), line, entry.run, text=entry.name)


def entries(provider: Provider) -> Iterator[Entry]:
    app, screen = cast("ChatApp", provider.app), provider.screen
    present = present_keys(screen, app.keymap)
    for title, actions in present.items():
        for action in actions if title not in TEXTUALS else ():
            if not action.action.endswith("command_palette"):
                run = partial(app.run_action, action.action, action.node)
                yield Entry(action.name, shown(action.keys[:2]), action.meaning, run)
    if isinstance(screen, ChatScreen):
        for name, (taken, meaning) in COMMANDS.items():
            yield Entry(f"/{name} {taken}".strip(), "", meaning, partial(screen.take_command, name))


def _quiet(line: Content, entry: Entry) -> Content:
    return line.stylize("dim", max(_NAME, len(entry.name)) + 1)


class Palette(CommandPalette):
    """Stands any size of the terminal."""

    def _action_command_list(self, action: str) -> None:
        # Without room the list has no lines, and Textual looks for the highlighted one.
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


def palette() -> CommandPalette:
    return Palette([Entries], placeholder="An action or a command", id="--command-palette")
