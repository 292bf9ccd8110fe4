"""What the user does with conversations and their turns. Every failure is a LocalspecError."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from localspec.chat.exchange import files
from localspec.chat.history import History
from localspec.chat.tree import Node
from localspec.errors import UsageError
from localspec.tui.code_blocks import chosen_block
from localspec.tui.dialogue import Dialogue
from localspec.tui.options import Options
from localspec.tui.parts import Parts
from localspec.tui.talk import Phase, Talk
from localspec.tui.thoughts import past_thoughts


class Conversations:
    """Each order says in the hint what it did."""

    def __init__(
        self,
        screen: Screen[None],
        history: History,
        talk: Talk,
        dialogue: Dialogue,
        options: Options,
        parts: Parts,
    ) -> None:
        self._screen = screen
        self._history = history
        self._talk = talk
        self._dialogue = dialogue
        self._options = options
        self._parts = parts
        self._hint = parts.hint
        self._edited: Node | None = None
        self._unsent = ""
        """What was in the prompt before a message to edit was put there."""
        self._deleted: int | None = None

    async def new(self) -> None:
        self._need_rest()
        before = "the one before is saved" if self._dialogue.saved else "the one before is gone"
        had = bool(self._dialogue.path)
        self._dialogue.clear()
        await self._redraw()
        self._hint.say(f"A new conversation; {before}." if had else "A new conversation.")

    async def open(self, conversation: int) -> None:
        self._need_rest()
        self._dialogue.reopen(conversation)
        await self._redraw()
        self.remember()
        title = self._history.conversation(conversation).title
        self._hint.say(f"Conversation {conversation}: {title}")

    def remember(self) -> None:
        """The arrows of the prompt go through the questions of the opened conversation."""
        for turn in self._dialogue.turns:
            if turn.role == "user":
                self._parts.prompt.remember(turn.content)

    async def retry(self, node: Node | None = None) -> None:
        """Another reply in the place of this one, or of the last."""
        self._need_ready()
        node = node or self._last()
        question = node if node.role == "user" else node.parent
        if question is None:
            raise UsageError("There is no message that this replies to.")
        await self._talk.ask_again(question)

    async def go_on(self, node: Node | None = None) -> None:
        """More of the last reply."""
        self._need_ready()
        node = node or self._last()
        if node.role != "assistant" or node is not self._last():
            raise UsageError("Only the last reply can be continued.", "/retry asks for a reply.")
        if self._options.sampling.grammar or self._options.sampling.json_schema:
            raise UsageError("A reply that follows a grammar can't be continued, only retried.")
        await self._talk.go_on(node)

    def edit(self, node: Node | None = None) -> None:
        """Put a message into the prompt; what is sent takes its place, as another version."""
        questions = [each for each in self._dialogue.path if each.role == "user"]
        node = node or (questions[-1] if questions else None)
        if node is None:
            raise UsageError("There is no message to edit.")
        if node.role != "user":
            raise UsageError("Only your own messages can be edited.", "r asks for another reply.")
        if self._edited is None:
            self._unsent = self._parts.prompt.text
        self._edited = node
        self._parts.prompt.put(node.content)
        self._parts.prompt.focus()
        leave = self._parts.prompt.LEFT_BY
        self._hint.say(f"Enter sends it as another version of the message, {leave} leaves it.")

    @property
    def edited(self) -> Node | None:
        """The message that is being edited."""
        return self._edited

    def take_edited(self) -> Node | None:
        """The message whose place is taken by the one that is being sent."""
        node, self._edited = self._edited, None
        if node is not None:
            self._parts.prompt.give_back(self._unsent)
        # The branch may have been left meanwhile.
        return node if node in self._dialogue.path else None

    def cancel_edit(self) -> bool:
        """True if a message was being edited."""
        editing = self._edited is not None
        if editing:
            self._parts.prompt.put(self._unsent)
        self._edited = None
        return editing

    async def undo(self) -> None:
        """The conversation deleted just now is back, or the last message leaves."""
        self._need_rest()
        if self._deleted is not None and not self._dialogue.path:
            self._history.restore(self._deleted)
            conversation, self._deleted = self._deleted, None
            await self.open(conversation)
            return
        text = self._dialogue.take_back()
        await self._redraw()
        self._parts.prompt.give_back(text)
        self._hint.say("Your last message is back in the prompt; what it got is kept as a version.")

    async def browse(self, node: Node | None, step: int) -> None:
        """Show an older or newer version of this turn, or of the last that has versions."""
        self._need_rest()
        if node is None:
            several = [each for each in self._dialogue.path if self._num_versions(each) > 1]
            if not several:
                return
            node = several[-1]
        depth = len(node.path)
        chosen = self._parts.transcript.has_chosen
        self._dialogue.browse(node, step)
        await self._redraw()
        if chosen:
            self._parts.transcript.focus_on(self._dialogue.path[depth - 1])

    async def fork(self, node: Node | None = None) -> None:
        self._need_rest()
        self._dialogue.fork(node or self._last())
        await self._redraw()
        self._parts.prompt.focus()
        self._hint.say("This is a conversation of its own now; the one it came from is kept.")

    def copy(self, node: Node | None = None) -> None:
        node = node or self._last_reply()
        self._screen.app.copy_to_clipboard(node.content)
        what = "Reply" if node.role == "assistant" else "Message"
        self._hint.say(f"{what} copied, {len(node.content):,} characters as written.")

    def copy_block(self, which: str, node: Node | None = None) -> None:
        """A code block by its number, or the last one for `code`."""
        node = node or self._last_reply()
        self.copy_code(which, node.content, _open_tag(node))

    def code(self, which: str) -> str:
        """A code block of the last reply."""
        reply = self._last_reply()
        return chosen_block(reply.content, _open_tag(reply), which)[1]

    def copy_code(self, which: str, reply: str, open_tag: str) -> None:
        number, code = chosen_block(reply, open_tag, which)
        self._screen.app.copy_to_clipboard(code)
        lines = len(code.splitlines())
        num = f"{lines:,} line{'' if lines == 1 else 's'}"
        self._hint.say(f"Code block {number} copied, {num} as written.")

    def save(self, name: str) -> None:
        """The last reply as a file."""
        reply = self._last_reply()
        path = _path(name) or files.free_name("reply", ".md")
        files.write(path, reply.content)
        self._hint.say(f"The last reply is in {path}.")

    def export(self, name: str) -> None:
        conversation = self._dialogue.saved_number()
        title = self._history.conversation(conversation).title
        path = _path(name) or files.free_name(title, ".md")
        files.write(path, files.exported(self._history, conversation, path.suffix))
        form = "everything" if path.suffix.lower() == ".json" else "what is shown; .json: all"
        self._hint.say(f"Exported to {path} ({form}).")

    async def take_in(self, name: str) -> None:
        self._need_rest()
        if (path := _path(name)) is None:
            raise UsageError("/import takes a file that /export wrote.")
        await self.open(files.imported(self._history, str(path)))

    def rename(self, title: str) -> None:
        if not title:
            raise UsageError("/rename takes a title; /rename off: the first message again.")
        self._dialogue.rename("" if title == "off" else title)
        self._hint.say(f"The conversation is called {title}." if title != "off" else "No title.")

    async def delete(self) -> None:
        self._need_rest()
        self._deleted = self._dialogue.delete()
        await self._redraw()
        self._hint.say("Deleted; /undo brings it back until you quit.")

    async def forget_deleted(self, conversation: int) -> None:
        """It was deleted in the list, and may be the one on the screen."""
        if conversation == self._dialogue.conversation:
            self._deleted = conversation
            self._dialogue.clear()
            await self._redraw()

    async def choose(self, step: int = 0) -> None:
        self._need_rest()
        if not self._dialogue.path:
            raise UsageError("There is no message yet.")
        await self._parts.transcript.choose(step, self._dialogue.path)

    async def _redraw(self) -> None:
        self.cancel_edit()
        self._talk.forget()
        await self._parts.transcript.show(self._dialogue.path)

    def _num_versions(self, node: Node) -> int:
        return len(self._dialogue.versions(node))

    def _last(self) -> Node:
        path = self._dialogue.path
        if not path:
            raise UsageError("There is no message yet.")
        return path[-1]

    def _last_reply(self) -> Node:
        replies = [node for node in self._dialogue.path if node.role == "assistant"]
        if not replies:
            raise UsageError("There is no reply yet.")
        return replies[-1]

    def _need_rest(self) -> None:
        if self._talk.phase is Phase.REPLYING:
            raise UsageError("A reply is running.", "Esc stops it.")

    def _need_ready(self) -> None:
        if self._talk.phase is not Phase.READY:
            raise UsageError(self._talk.phase.value)


def _open_tag(reply: Node) -> str:
    return past_thoughts(reply.stats, reply.content).open_tag


def _path(name: str) -> Path | None:
    name = name.strip("\"'")
    try:
        return Path(name).expanduser() if name else None
    except RuntimeError:
        raise UsageError(f"{name} is nobody's home.") from None
