"""The chat screen: keys and commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Footer, Static

from localspec.backends.interface import Backend
from localspec.chat.history import History
from localspec.errors import LocalspecError
from localspec.settings import Settings
from localspec.tui import commands, garbage
from localspec.tui.conversations import Conversations
from localspec.tui.dialogue import Dialogue
from localspec.tui.handed import Handed
from localspec.tui.keymap import Keymap
from localspec.tui.link import Link
from localspec.tui.messages import BackendEnded, BackendEvent, PullEnded
from localspec.tui.meter import Clock
from localspec.tui.model_desk import ModelDesk
from localspec.tui.options import Options
from localspec.tui.orders import Orders
from localspec.tui.overlays import Overlays
from localspec.tui.parts import Parts
from localspec.tui.talk import Phase, Talk
from localspec.tui.waiting import Waiting
from localspec.tui.widgets.prompt import Prompt
from localspec.tui.widgets.transcript import Transcript
from localspec.tui.widgets.turn_mark import TurnMark
from localspec.tui.writing import Writing

# The model needs the processor more than the eye needs frames.
_FRAME = 1 / 20


class ChatScreen(Screen[None]):
    """Transcript above, numbers under it, the prompt at the bottom."""

    AUTO_FOCUS = "Prompt"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]
    BINDINGS = [
        Binding("f1", "app.help", "Help", priority=True, id="app.help"),
        Binding("f2", "toggle_spec", "Speculation", id="chat.speculation"),
        Binding("f4", "xray", "X-ray", id="chat.xray"),
        Binding("escape", "stop", "Stop", id="chat.stop"),
        Binding("ctrl+s", "sessions", "Sessions", id="chat.sessions"),
        Binding("f9,ctrl+up", "choose", "Turn", id="chat.turns"),
        # The footer of a terminal of 80 columns has no room for more.
        Binding("f3", "toggle_marks", "Marks", show=False, id="chat.marks"),
        Binding("ctrl+t", "toggle_thinking", "Thinking", show=False, id="chat.thinking"),
        Binding("ctrl+o", "models", "Models", show=False, id="chat.models"),
        Binding("f8", "settings", "Settings", show=False, id="chat.settings"),
        Binding("ctrl+n", "new", "New", show=False, id="chat.new"),
        Binding("ctrl+r", "retry", "Retry", show=False, id="chat.retry"),
        Binding("ctrl+g", "editor", "Editor", show=False, id="chat.editor"),
        Binding("f5", "restart", "Reload", show=False, id="chat.reload"),
        Binding(
            "pageup", "scroll_page(-1)", "Page up", show=False, priority=True, id="chat.page_up"
        ),
        Binding(
            "pagedown",
            "scroll_page(1)",
            "Page down",
            show=False,
            priority=True,
            id="chat.page_down",
        ),
        Binding("ctrl+end", "follow", "Newest", show=False, priority=True, id="chat.newest"),
    ]

    def __init__(
        self,
        make_backend: Callable[[str], Backend],
        model: str,
        history: History,
        settings: Settings,
        conversation: int | None,
        clock: Clock,
        handed: Handed,
    ) -> None:
        super().__init__()
        self._conversation = conversation
        self._clock = clock
        self._notice = history.notice
        self._parts = Parts()
        self._options = Options.of(settings)
        self._options.handed = handed
        self._link = Link(self, make_backend, clock)
        self._dialogue = Dialogue(history, clock, self._say_fault)
        self._dialogue.system = settings.system
        self._talk = Talk(self._link, self._dialogue, self._options, clock, self._parts, model)
        self._waiting = Waiting(self._parts)
        self._writing = Writing(self, self._parts, self._talk, self._link, handed)
        self._conversations = Conversations(
            self, history, self._talk, self._dialogue, self._options, self._parts
        )
        self._orders = Orders(
            self, self._talk, self._dialogue, self._options, self._parts, self._conversations
        )
        self._models = ModelDesk(self, self._talk, self._parts, self._orders.open, settings.source)
        self._overlays = Overlays(
            self,
            history,
            self._dialogue,
            self._options,
            self._orders,
            self._conversations,
            self._parts.hint,
        )
        self._parts.transcript.versions_of = self._dialogue.versions

    @property
    def conversation(self) -> int | None:
        return self._dialogue.conversation

    @property
    def unfinished_pull(self) -> str:
        """What was being pulled when the screen was left."""
        return self._models.unfinished

    def compose(self) -> ComposeResult:
        with Horizontal(id="head"):
            yield self._parts.title
            yield self._parts.pull
        yield self._parts.transcript
        yield self._parts.status
        yield self._parts.hint
        yield self._parts.choices
        yield self._parts.attached
        with Horizontal(id="entry"):
            yield Static("›", id="mark")
            yield self._parts.prompt
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        if self._conversation is not None:
            with self._refusals():
                self._dialogue.reopen(self._conversation, keep_system=True)
            self._conversations.remember()
            await self._parts.transcript.show(self._dialogue.path)
        if self._notice:
            await self._parts.transcript.say(self._notice)
        self._writing.begin()
        self.set_interval(_FRAME, self._talk.frame)
        # The screen is there before anything is loaded.
        self.call_after_refresh(self._open_first)

    async def _open_first(self) -> None:
        garbage.resume()
        await self._orders.open(self._talk.model)
        await self._end_wait()

    async def on_unmount(self) -> None:
        await self._models.shut()
        await self._talk.shut()

    async def on_backend_event(self, message: BackendEvent) -> None:
        if message.run == self._link.run:
            await self._talk.handle(message.event, message.at)

    async def on_backend_ended(self, message: BackendEnded) -> None:
        if message.run == self._link.run:
            await self._talk.ended()
            await self._end_wait()
            self._writing.recount()

    def on_pull_moved(self) -> None:
        self._models.moved()

    async def on_pull_ended(self, message: PullEnded) -> None:
        await self._models.ended(message)

    @on(Prompt.Changed)
    def _changed(self) -> None:
        self._writing.changed()

    @on(Prompt.SelectionChanged)
    def _moved(self) -> None:
        self._writing.moved()

    async def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        if not event.text.strip() or not self._parts.prompt.holds(event.text):
            # Nothing, or what a second Enter sent while the first was being dealt with.
            return
        try:
            command = self._writing.command(event.text)
            if command is None:
                await self._send(event.text)
            else:
                self._parts.prompt.take(event.text)
                await self._orders.obey(command)
                self._writing.recount()
        except LocalspecError as error:
            # It would be glued to the next command; the up arrow brings it back.
            self._parts.prompt.take(event.text)
            self._parts.hint.say(str(error), error=True)

    async def _send(self, text: str) -> None:
        if self._talk.phase is Phase.LOADING:
            self._waiting.hold(text)
            return
        if self._talk.phase is not Phase.READY:
            self._parts.hint.say(self._talk.phase.value, error=True)
            return
        self._parts.hint.clear()
        await self._ask(text, waited=False)

    async def _ask(self, text: str, waited: bool) -> None:
        """With the files that it names; a text that can't go stays where the user writes."""
        prompt = self._parts.prompt
        try:
            message = await self._writing.outgoing(text)
        except LocalspecError as error:
            if waited:
                prompt.prepend(text)
            self._say_fault(str(error))
            return
        if not waited:
            prompt.take(text)
        await self._talk.ask(message, self._conversations.take_edited())

    async def _end_wait(self) -> None:
        """Only at the end of a load: before it, the backend takes no question."""
        if self._talk.phase is Phase.DOWN:
            self._waiting.give_back()
        elif self._talk.phase is Phase.READY and self._waiting:
            await self._ask(self._waiting.take(), waited=True)

    def action_sessions(self, search: str = "") -> None:
        self._overlays.open_sessions(self._talk.phase is Phase.REPLYING, search)

    def action_stats(self) -> None:
        with self._refusals():
            self._overlays.open_stats()

    def action_settings(self) -> None:
        self._overlays.open_settings()

    def action_compare(self, prompt: str = "") -> None:
        with self._refusals():
            marking = self._parts.transcript.marking
            self._overlays.open_race(prompt, self._talk, self._link, self._clock, marking)

    def action_models(self) -> None:
        self._models.open()

    async def action_new(self) -> None:
        with self._refusals():
            await self._conversations.new()

    async def action_retry(self) -> None:
        with self._refusals():
            await self._conversations.retry()

    async def action_choose(self) -> None:
        with self._refusals():
            await self._conversations.choose()

    async def on_prompt_browsed(self, event: Prompt.Browsed) -> None:
        with self._refusals():
            await self._conversations.browse(None, event.step)

    async def on_turn_mark_ordered(self, event: TurnMark.Ordered) -> None:
        if event.order in ("leave", "edit", "retry", "continue"):
            self._parts.prompt.focus()
        with self._refusals():
            await self._orders.obey_turn(event.order, event.node)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """What can't be done is said."""
        try:
            yield
        except LocalspecError as error:
            self._say_fault(str(error))

    def action_toggle_spec(self) -> None:
        ready = self._talk.ready
        self._options.toggle_spec(bool(ready and ready.spec_off_reason))
        self._orders.say_spec()

    async def action_toggle_marks(self) -> None:
        await self._orders.mark(self._parts.transcript.marking.toggled())

    async def action_toggle_thinking(self) -> None:
        await self._orders.toggle_thinking()

    def on_transcript_code_wanted(self, event: Transcript.CodeWanted) -> None:
        with self._refusals():
            self._conversations.copy_code(str(event.number), event.reply, event.open_tag)

    async def action_xray(self) -> None:
        await self._orders.mark(self._parts.transcript.marking.deeper())

    def action_stop(self) -> None:
        if self._talk.phase is Phase.REPLYING:
            self._talk.stop()
        elif not self._waiting:
            self._conversations.cancel_edit()
        self._waiting.give_back()
        self._parts.hint.clear()
        self.clear_selection()

    def action_editor(self) -> None:
        self._writing.open_editor()

    async def action_restart(self) -> None:
        await self._orders.open(self._talk.model)

    def stop_reply(self) -> bool:
        """True if one was running that had not been stopped yet."""
        if self._talk.phase is not Phase.REPLYING or self._talk.stopping:
            return False
        self.action_stop()
        return True

    def say(self, text: str) -> None:
        self._parts.hint.say(text)

    def remap(self, keymap: Keymap) -> None:
        self._parts.prompt.remap(keymap.keys)

    async def take_command(self, name: str) -> None:
        """One that was chosen in the palette: obeyed, or begun where it needs an argument."""
        if commands.needs_argument(name):
            self._parts.prompt.begin(f"/{name} ")
            return
        with self._refusals():
            await self._orders.obey(commands.Command(name))

    def action_scroll_page(self, pages: int) -> None:
        if pages < 0:
            self._parts.transcript.scroll_page_up(animate=False)
        elif not self._parts.transcript.stays_at_end():
            self._parts.transcript.scroll_page_down(animate=False)

    def action_follow(self) -> None:
        self._parts.transcript.anchor()

    def _say_fault(self, fault: str) -> None:
        self._parts.hint.say(fault, error=True)
