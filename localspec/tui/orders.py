"""What the slash commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from textual.screen import Screen

from localspec.errors import LocalspecError, UsageError
from localspec.settings import SpecMode
from localspec.tui.commands import Command
from localspec.tui.dialogue import Dialogue
from localspec.tui.marking import Marking
from localspec.tui.options import Options
from localspec.tui.parts import Parts
from localspec.tui.talk import Phase, Talk

if TYPE_CHECKING:
    from localspec.tui.app import ChatApp


class Orders:
    """Obeys commands; each says in the hint what it did."""

    def __init__(
        self,
        screen: Screen[None],
        talk: Talk,
        dialogue: Dialogue,
        options: Options,
        parts: Parts,
    ) -> None:
        self._screen = screen
        self._talk = talk
        self._dialogue = dialogue
        self._options = options
        self._parts = parts
        self._hint = parts.hint

    async def obey(self, command: Command) -> None:
        """Raises LocalspecError for an argument that can't be."""
        self._hint.clear()
        match command.name, command.argument:
            case "help", _:
                await self._screen.run_action("screen.help")
            case "quit", _:
                await self._screen.app.action_quit()
            case "restart", _:
                await self.open(self._talk.model)
            case "clear", _:
                await self._clear()
            case "model", "":
                self._hint.say(f"The model is {self._talk.model}; /model NAME takes another.")
            case "model", name:
                await self.open(name)
            case "system", text:
                self._set_system(text)
            case "spec", "":
                modes = "|".join(get_args(SpecMode))
                self._hint.say(f"Speculation is {self._options.spec}; /spec {modes} sets it.")
            case "spec", mode:
                self._options.set_spec(mode)
                self.say_spec()
            case "xray", mode:
                await self._mark(mode)
            case "theme", "":
                await self._screen.run_action("app.change_theme")
            case "theme", name:
                self._hint.say(cast("ChatApp", self._screen.app).looks.choose(name))
            case "file", path:
                self._hint.say(self._options.handed.attach(path))
            case "predict", path:
                self._hint.say(self._options.handed.predict(path))
            case "temp", "":
                temperature = self._options.sampling.temperature
                self._hint.say(f"The temperature is {temperature:g}; /temp X sets it, 0 to 10.")
            case "temp", number:
                self._options.set_temperature(number)
                temperature = self._options.sampling.temperature
                self._hint.say(f"Temperature {temperature:g} from the next reply on.")

    async def open(self, name: str) -> None:
        try:
            await self._talk.open(name)
        except LocalspecError as error:
            self._talk.show_idle()
            self._hint.say(str(error), error=True)

    async def _clear(self) -> None:
        if self._talk.phase is Phase.REPLYING:
            raise UsageError("A reply is running.", "Esc stops it, then /clear can be used.")
        self._dialogue.clear()
        self._talk.forget()
        await self._parts.transcript.clear()
        before = "the one before is saved" if self._dialogue.saved else "the one before is gone"
        self._hint.say(f"A new conversation; {before}.")

    def _set_system(self, text: str) -> None:
        if text:
            self._dialogue.system = "" if text == "off" else text
        system = self._dialogue.system
        self._hint.say(f"System prompt: {system}" if system else "There is no system prompt.")

    async def _mark(self, mode: str) -> None:
        """Raises UsageError."""
        modes = {"on": Marking.XRAY, "rejected": Marking.REJECTED, "off": Marking.LIVE}
        now = self._parts.transcript.marking
        if mode and mode not in modes:
            raise UsageError(f"/xray takes {', '.join(modes)}, not {mode}.")
        await self.mark(modes[mode] if mode else now.deeper())

    async def mark(self, marking: Marking) -> None:
        await self._talk.mark(marking)
        self._hint.say(marking.value)

    def say_spec(self) -> None:
        self._talk.show_speculation()
        self._hint.say(f"Speculation: {self._options.spec}, from the next reply on.")
