"""What the slash commands do without a screen; those that only print are obeyed here."""

from __future__ import annotations

from localspec.chat.history import History
from localspec.errors import UsageError
from localspec.tui.commands import COMMANDS, Command
from localspec.tui.contest import contest
from localspec.tui.conversations import Conversations
from localspec.tui.dialogue import Dialogue
from localspec.tui.model_desk import ModelDesk
from localspec.tui.numbers import every_numbers
from localspec.tui.options import Options
from localspec.tui.orders import Orders
from localspec.tui.plain.listing import help_lines, model_lines, session_lines, stats_lines
from localspec.tui.plain.page import Page
from localspec.tui.plain.talk import Leaving, PlainTalk

INSTEAD = {
    "settings": "/temp, /k, /spec and /system set those here, and /preset several at once.",
    "xray": "/stats tells how much each source drafted.",
    "theme": "Nothing is coloured here.",
    "palette": "/help lists what there is here.",
}
"""The commands that need a screen, and what serves here."""
HERE = COMMANDS.keys() - INSTEAD.keys()


class PlainOrders:
    """The others are the screen's own."""

    def __init__(
        self,
        page: Page,
        history: History,
        dialogue: Dialogue,
        options: Options,
        talk: PlainTalk,
        conversations: Conversations,
        orders: Orders,
        desk: ModelDesk,
    ) -> None:
        self._page = page
        self._history = history
        self._dialogue = dialogue
        self._options = options
        self._talk = talk
        self._conversations = conversations
        self._orders = orders
        self._desk = desk

    async def obey(self, command: Command) -> None:
        """Raises LocalspecError for what can't be, Leaving for /quit."""
        match command.name, command.argument:
            case name, _ if name in INSTEAD:
                raise UsageError(f"/{name} needs the screen.", INSTEAD[name])
            case "quit", _:
                raise Leaving
            case "help", _:
                lines = help_lines(HERE)
            case "sessions", number if number.isascii() and number.isdecimal():
                await self._conversations.open(int(number[:18]))
                return
            case "sessions" | "search", words:
                lines = session_lines(self._history, words)
            case "stats", _:
                lines = list(stats_lines(every_numbers(self._dialogue.path)))
            case "models", words:
                lines = list(model_lines(self._desk, words))
            case "model", "":
                lines = list(model_lines(self._desk, "on disk"))
            case "compare", prompt:
                self._talk.compare(contest(self._dialogue, self._options, prompt))
                return
            case "copy", "":
                told = "There is no clipboard here."
                raise UsageError(told, "/save writes the reply to a file, /copy N prints a block.")
            case "copy", which:
                lines = [self._conversations.code(which)]
            case _:
                await self._orders.obey(command)
                return
        for line in lines:
            self._page.say(line)
