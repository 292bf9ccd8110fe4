"""The chat screen: keys and commands."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from localspec.backends.interface import Backend
from localspec.chat.events import Ready
from localspec.chat.history import History
from localspec.errors import LocalspecError, UsageError
from localspec.settings import Settings
from localspec.tui import commands
from localspec.tui.dialogue import Dialogue
from localspec.tui.link import Link
from localspec.tui.messages import BackendEnded, BackendEvent
from localspec.tui.meter import Clock
from localspec.tui.options import Options
from localspec.tui.screens.help import HelpScreen
from localspec.tui.talk import Phase, Talk
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.hint import Hint
from localspec.tui.widgets.prompt import Prompt
from localspec.tui.widgets.status import StatusLine
from localspec.tui.widgets.transcript import Transcript

# The model needs the processor more than the eye needs frames.
_FRAME = 1 / 20
_QUIT_WITHIN = 3.0


class ChatScreen(Screen[None]):
    """Transcript above, numbers under it, the prompt at the bottom."""

    AUTO_FOCUS = "Prompt"
    BINDINGS = [
        Binding("f1", "help", "Help"),
        Binding("f2", "toggle_spec", "Speculation"),
        Binding("escape", "stop", "Stop"),
        Binding("f5", "restart", "Reload", show=False),
        Binding("ctrl+c", "interrupt", "Stop or quit", show=False, priority=True),
        Binding("pageup", "scroll_page(-1)", "Page up", show=False, priority=True),
        Binding("pagedown", "scroll_page(1)", "Page down", show=False, priority=True),
        Binding("ctrl+end", "follow", "Newest", show=False, priority=True),
    ]

    def __init__(
        self,
        make_backend: Callable[[str], Backend],
        model: str,
        history: History,
        settings: Settings,
        conversation: int | None,
        clock: Clock,
    ) -> None:
        super().__init__()
        self._model = model
        self._conversation = conversation
        self._clock = clock
        self._quit_armed_at: float | None = None
        self._title = Static(Content(displayable(model)), id="title")
        self._notice = history.notice
        self._transcript = Transcript()
        self._status = StatusLine()
        self._hint = Hint()
        self._prompt = Prompt()
        self._options = Options.of(settings)
        self._link = Link(self, make_backend, clock)
        self._dialogue = Dialogue(history, clock, lambda fault: self._hint.say(fault, error=True))
        self._dialogue.system = settings.system
        self._talk = Talk(
            self._link,
            self._dialogue,
            self._options,
            clock,
            self._transcript,
            self._status,
            self._prompt,
        )

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._transcript
        yield self._status
        yield self._hint
        with Horizontal(id="entry"):
            yield Static("›", id="mark")
            yield self._prompt
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        if self._conversation is not None:
            self._dialogue.reopen(self._conversation)
            for turn in self._dialogue.turns:
                if turn.role == "user":
                    self._prompt.remember(turn.content)
            await self._transcript.show_past(self._dialogue.turns)
        if self._notice:
            await self._transcript.say(self._notice)
        self.set_interval(_FRAME, self._talk.frame)
        # The screen is there before anything is loaded.
        self.call_after_refresh(self._open, self._model)

    async def on_unmount(self) -> None:
        await self._talk.shut()

    async def on_backend_event(self, message: BackendEvent) -> None:
        if message.run != self._link.run:
            return
        await self._talk.handle(message.event, message.at)
        if isinstance(message.event, Ready):
            self._title.update(_title(message.event))
        self._hint.withdraw(*(phase.value for phase in Phase if phase is not self._talk.phase))

    async def on_backend_ended(self, message: BackendEnded) -> None:
        if message.run == self._link.run:
            await self._talk.ended()

    @on(Prompt.Changed)
    def _disarm(self) -> None:
        self._quit_armed_at = None

    async def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        if not event.text.strip():
            return
        try:
            command = commands.parse(event.text)
            if command is None:
                await self._send(event.text.strip())
            else:
                self._prompt.take()
                await self._obey(command)
        except LocalspecError as error:
            self._hint.say(str(error), error=True)

    async def _send(self, text: str) -> None:
        if self._talk.phase is not Phase.READY:
            self._hint.say(self._talk.phase.value, error=True)
            return
        self._hint.clear()
        self._prompt.take()
        await self._talk.ask(text)

    async def _obey(self, command: commands.Command) -> None:
        """Raises LocalspecError for an argument that can't be."""
        self._hint.clear()
        match command.name, command.argument:
            case "help", _:
                self.action_help()
            case "quit", _:
                await self.app.action_quit()
            case "restart", _:
                await self.action_restart()
            case "clear", _:
                await self._clear()
            case "model", "":
                self._hint.say(f"The model is {self._talk.model}; /model NAME takes another.")
            case "model", name:
                await self._open(name)
            case "system", text:
                self._set_system(text)
            case "spec", mode:
                self._options.set_spec(mode)
                self._say_spec()
            case "temp", number:
                self._options.set_temperature(number)
                temperature = self._options.sampling.temperature
                self._hint.say(f"Temperature {temperature:g} from the next reply on.")

    async def _open(self, name: str) -> None:
        try:
            await self._talk.open(name)
        except LocalspecError as error:
            self._talk.show_idle()
            self._hint.say(str(error), error=True)
        else:
            self._title.update(Content(displayable(name)))

    async def _clear(self) -> None:
        if self._talk.phase is Phase.REPLYING:
            raise UsageError("A reply is running.", "Esc stops it, then /clear can be used.")
        self._dialogue.clear()
        await self._transcript.clear()
        self._hint.say("A new conversation; the one before is saved.")

    def _set_system(self, text: str) -> None:
        if text:
            self._dialogue.system = "" if text == "off" else text
        system = self._dialogue.system
        self._hint.say(f"System prompt: {system}" if system else "There is no system prompt.")

    def _say_spec(self) -> None:
        self._talk.show_speculation()
        self._hint.say(f"Speculation: {self._options.spec}, from the next reply on.")

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen())

    def action_toggle_spec(self) -> None:
        self._options.toggle_spec()
        self._say_spec()

    def action_stop(self) -> None:
        if self._talk.phase is Phase.REPLYING:
            self._talk.stop()
        self._hint.clear()
        self.clear_selection()

    async def action_restart(self) -> None:
        await self._open(self._talk.model or self._model)

    async def action_interrupt(self) -> None:
        if selected := self._prompt.selected_text or self.get_selected_text():
            self.app.copy_to_clipboard(selected)
            self._hint.say("Copied.")
        elif self._talk.phase is Phase.REPLYING and not self._talk.stopping:
            self.action_stop()
        elif self._is_quit_armed():
            await self.app.action_quit()
        else:
            self._quit_armed_at = self._clock()
            self._hint.say("Press Ctrl+C again to quit.")

    def action_scroll_page(self, pages: int) -> None:
        if pages < 0:
            self._transcript.scroll_page_up(animate=False)
        else:
            self._transcript.scroll_page_down(animate=False)

    def action_follow(self) -> None:
        self._transcript.anchor()

    def _is_quit_armed(self) -> bool:
        armed = self._quit_armed_at
        return armed is not None and self._clock() - armed <= _QUIT_WITHIN


def _title(ready: Ready) -> Content:
    parts = [ready.name, f"draft {ready.draft}" if ready.draft else "no draft", ready.device]
    return Content(displayable(" · ".join(part for part in parts if part)))
