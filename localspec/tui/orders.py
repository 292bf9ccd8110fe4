"""What the slash commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from textual.screen import Screen

from localspec.chat.tree import Node
from localspec.errors import LocalspecError, UsageError
from localspec.settings import SpecMode
from localspec.tui import presets
from localspec.tui.commands import Command
from localspec.tui.conversations import Conversations
from localspec.tui.dialogue import Dialogue
from localspec.tui.marking import Marking
from localspec.tui.options import Options
from localspec.tui.parts import Parts
from localspec.tui.talk import Talk

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
        conversations: Conversations,
    ) -> None:
        self._screen = screen
        self._talk = talk
        self._dialogue = dialogue
        self._options = options
        self._parts = parts
        self._hint = parts.hint
        self._conversations = conversations

    async def obey(self, command: Command) -> None:
        """Raises LocalspecError for an argument that can't be."""
        self._hint.clear()
        if await self._obey_talk(command):
            return
        match command.name, command.argument:
            case ("sessions" | "settings" | "stats" | "models") as name, _:
                await self._screen.run_action(f"screen.{name}")
            case "help", _:
                await self._screen.run_action("app.help")
            case "palette", _:
                await self._screen.run_action("app.command_palette")
            case "search", text:
                await self._screen.run_action(f"screen.sessions({text!r})")
            case "compare", text:
                await self._screen.run_action(f"screen.compare({text!r})")
            case "quit", _:
                await self._screen.app.action_quit()
            case "restart", _:
                await self.open(self._talk.model)
            case "model", "":
                await self._screen.run_action("screen.models")
            case "model", name:
                await self.open(name)
            case "system", text:
                self._set_system(text)
            case "preset", text:
                self._obey_preset(text)
            case "spec", "":
                modes = "|".join(get_args(SpecMode))
                self._hint.say(f"Speculation is {self._options.spec}; /spec {modes} sets it.")
            case "spec", mode:
                self._options.apply({"spec": mode})
                self.say_spec()
            case "xray", mode:
                await self._mark(mode)
            case "thinking", _:
                await self.toggle_thinking()
            case "theme", "":
                await self._screen.run_action("app.change_theme")
            case "theme", name:
                self._hint.say(cast("ChatApp", self._screen.app).looks.choose(name))
            case "k", "":
                self._hint.say(f"{self._drafted()}; /k N sets it, auto lets localspec decide.")
            case "k", number:
                self._options.apply({"num_draft_tokens": number})
                self._hint.say(f"{self._drafted()}, from the next reply on.")
            case "file", path:
                self._hint.say(self._options.handed.attach(path))
            case "predict", path:
                self._hint.say(self._options.handed.predict(path))
            case "temp", "":
                temperature = self._options.sampling.temperature
                self._hint.say(f"The temperature is {temperature:g}; /temp X sets it, 0 to 10.")
            case "temp", number:
                self._options.apply({"temperature": number})
                temperature = self._options.sampling.temperature
                self._hint.say(f"Temperature {temperature:g} from the next reply on.")

    async def _obey_talk(self, command: Command) -> bool:
        """Commands about the conversation and its turns; False for another."""
        talks = self._conversations
        match command.name, command.argument:
            case "new", _:
                await talks.new()
            case "retry", _:
                await talks.retry()
            case "edit", _:
                talks.edit()
            case "undo", _:
                await talks.undo()
            case "continue", _:
                await talks.go_on()
            case "fork", _:
                await talks.fork()
            case "copy", "":
                talks.copy()
            case "copy", which:
                talks.copy_block(which)
            case "save", name:
                talks.save(name)
            case "export", name:
                talks.export(name)
            case "import", name:
                await talks.take_in(name)
            case "rename", title:
                talks.rename(title)
            case "delete", _:
                await talks.delete()
            case _:
                return False
        return True

    async def obey_turn(self, order: str, node: Node) -> None:
        """A key of a chosen turn. Raises LocalspecError."""
        talks = self._conversations
        self._hint.clear()
        match order:
            case "above":
                await talks.choose(-1)
            case "below":
                await talks.choose(1)
            case "older":
                await talks.browse(node, -1)
            case "newer":
                await talks.browse(node, 1)
            case "edit":
                talks.edit(node)
            case "retry":
                await talks.retry(node)
            case "continue":
                await talks.go_on(node)
            case "fork":
                await talks.fork(node)
            case "copy":
                talks.copy(node)
            case "thinking":
                await self.toggle_thinking(node)
            case code if code.startswith("code "):
                talks.copy_block(code.removeprefix("code "), node)

    async def toggle_thinking(self, node: Node | None = None) -> None:
        if not await self._parts.transcript.toggle_thinking(node):
            self._hint.say("There is no thinking to unfold.")

    async def open(self, name: str) -> None:
        try:
            await self._talk.open(name)
        except LocalspecError as error:
            self._talk.show_idle()
            self._hint.say(str(error), error=True)

    async def change_settings(self, reload: bool, system: str) -> None:
        """The panel was applied."""
        self._dialogue.system = system
        self._talk.show_speculation()
        self._hint.say("The settings hold from the next reply on.")
        if reload:
            await self.open(self._talk.model)

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

    def _obey_preset(self, text: str) -> None:
        verb, _, name = text.partition(" ")
        if not text:
            known = ", ".join(presets.names())
            save = "/preset save NAME keeps the system prompt and the settings in force."
            self._hint.say(f"Presets: {known}. {save}" if known else f"No preset yet; {save}")
        elif verb == "save":
            presets.save(name.strip(), self._dialogue.system, self._options.texts)
            self._hint.say(f"Saved; /preset {name.strip()} takes it again.")
        elif verb == "delete":
            presets.delete(name.strip())
            self._hint.say(f"The preset {name.strip()} is deleted.")
        else:
            fields = presets.load(text)
            system = fields.pop("system", self._dialogue.system)
            self._options.apply(fields)
            self._dialogue.system = system
            self._talk.show_speculation()
            self._hint.say(f"Preset {text}, from the next reply on.")

    def _drafted(self) -> str:
        num = self._options.num_draft_tokens
        return f"{num} tokens are drafted in a round" if num else "The draft's length is automatic"

    def say_spec(self) -> None:
        self._talk.show_speculation()
        self._hint.say(f"Speculation: {self._options.spec}, from the next reply on.")
