"""The conversation on the screen, saved as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from localspec.chat.events import Message
from localspec.chat.history import BEGINNING, ConversationGone, History
from localspec.chat.tree import Node, Tree, copied
from localspec.errors import LocalspecError, UsageError
from localspec.tui.meter import Clock

_SAVE_EVERY = 1.0
UNFINISHED = {"ending": "failed"}
"""What a reply has in the place of numbers until it is over: what a killed process leaves."""
_TRY_AGAIN = 5.0
"""Seconds between tries while the history can't be written: each one may have to wait."""


class Dialogue:
    """Questions, replies and their versions. A history that can't be written doesn't stop the
    chat; what it could not take is written when it can be again."""

    def __init__(self, history: History, clock: Clock, on_fault: Callable[[str], None]) -> None:
        self.system = ""
        """What the next question is asked with."""
        self.model = ""
        self._history = history
        self._clock = clock
        self._on_fault = on_fault
        self._tree = Tree()
        self._conversation: int | None = None
        self._unsaved: dict[Node, None] = {}
        """Turns that the history doesn't have as they are now, each after its parent."""
        self._moved = False
        """The history doesn't know yet where the conversation stands."""
        self._before: Node | None = None
        """Where the conversation stood before the reply that is under way."""
        self._reply: Node | None = None
        self._saving = True
        self._saved_at = 0.0

    def reopen(self, conversation: int, keep_system: bool = False) -> None:
        """Go on with a saved conversation and its system prompt. Raises LocalspecError, and then
        nothing has changed."""
        tree = self._history.tree(conversation)
        self._begin(tree, conversation)
        questions = [node for node in tree.path if node.role == "user"]
        if questions and not (keep_system and self.system):
            self.system = questions[-1].system

    def clear(self) -> None:
        """Begin a new conversation; the old one stays saved."""
        self._begin(Tree(), None)

    def fork(self, node: Node) -> None:
        """Go on in a new conversation that has the turns up to this one."""
        self._begin(copied(node.path), None)
        self._unsaved = dict.fromkeys(self._tree)
        self._save()

    def _begin(self, tree: Tree, conversation: int | None) -> None:
        self._tree, self._conversation = tree, conversation
        self._unsaved, self._moved, self._reply = {}, False, None

    @property
    def conversation(self) -> int | None:
        """Its number in the history, once it is there."""
        return self._conversation

    @property
    def saved(self) -> bool:
        return self._saving and self._history.lasting

    @property
    def path(self) -> list[Node]:
        """The turns that are shown."""
        return self._tree.path

    @property
    def has_begun(self) -> bool:
        return self._tree.head is not None

    @property
    def turns(self) -> list[Message]:
        return [node.message for node in self.path]

    @property
    def messages(self) -> list[Message]:
        """What the model is given."""
        system = [Message("system", self.system)] if self.system else []
        return system + self.turns

    def versions(self, node: Node) -> list[Node]:
        return self._tree.versions(node)

    def browse(self, node: Node, step: int) -> None:
        """Show the version before or after this one. Raises UsageError at the first and last."""
        versions = self.versions(node)
        place = versions.index(node) + step
        if not 0 <= place < len(versions):
            which = "older" if step < 0 else "newer"
            raise UsageError(f"There is no {which} version.")
        self._stand_at(versions[place].newest)

    def ask(self, text: str, before: Node | None = None) -> Node:
        """A question at the end, or as another version of the question `before`."""
        self._before = self._tree.head
        parent = before.parent if before else self._tree.head
        question = Node("user", text, parent, self.system)
        self._unsaved[self._tree.add(question)] = None
        self._reply = None
        self._save()
        return question

    def ask_again(self, question: Node) -> None:
        """Another reply to a question is coming; the one that there is stays as a version."""
        self._before = self._tree.head
        self._tree.head = question
        self._reply = None

    def go_on(self, reply: Node) -> None:
        """More of this reply, the last turn, is coming."""
        self._before = self._reply = reply

    def grow(self, text: str) -> None:
        """Save the unfinished reply, about once a second."""
        wait = _SAVE_EVERY if self._saving else _TRY_AGAIN
        if self._reply is not None and self._clock() - self._saved_at < wait:
            return
        self._put(text, None)
        self._save()

    def conclude(self, text: str, stats: dict[str, Any]) -> Node:
        """The reply is over, and this is all of it."""
        reply = self._put(text, stats)
        self._save()
        return reply

    def close(self) -> None:
        """A last try for what the file did not take."""
        if self._unsaved or self._moved:
            self._save()

    def withdraw(self) -> str:
        """No reply came: all is as before. Returns the text of the question that is taken back,
        empty if it had been asked before."""
        asked, self._tree.head = self._tree.head, self._before
        if asked is None or asked is self._before or asked in self._lineage(self._before):
            return ""
        self._tree.remove(asked)
        self._unsaved.pop(asked, None)
        with self._guard():
            if self._conversation is not None and asked.id is not None:
                head = self._before.id if self._before else None
                self._history.remove(self._conversation, asked.id, head or BEGINNING)
        return asked.content

    def take_back(self) -> str:
        """Leave the last question and its reply, which stay as versions; returns its text.
        Raises UsageError."""
        questions = [node for node in self.path if node.role == "user"]
        if not questions:
            raise UsageError("There is no message to take back.")
        self._stand_at(questions[-1].parent)
        return questions[-1].content

    def rename(self, title: str) -> None:
        """Raises LocalspecError."""
        self._history.rename(self.saved_number(), title)

    def delete(self) -> int:
        """The conversation is gone from the list, and a new one begins; returns the old one's
        number. Raises LocalspecError."""
        conversation = self.saved_number()
        self._history.delete(conversation)
        self.clear()
        return conversation

    def saved_number(self) -> int:
        """Raises UsageError."""
        if self._conversation is None:
            raise UsageError("Nothing of this conversation is saved yet.")
        return self._conversation

    def _lineage(self, node: Node | None) -> list[Node]:
        return node.path if node else []

    def _stand_at(self, node: Node | None) -> None:
        self._tree.head = node
        self._moved = True
        self._save()

    def _put(self, text: str, stats: dict[str, Any] | None) -> Node:
        if self._reply is None:
            self._reply = self._tree.add(Node("assistant", text, self._tree.head, stats=UNFINISHED))
        self._reply.content = text
        self._reply.stats = stats or self._reply.stats
        self._unsaved[self._reply] = None
        return self._reply

    def _save(self) -> None:
        self._saved_at = self._clock()
        with self._guard():
            try:
                self._write()
            except ConversationGone:
                # Another process has deleted it: here it is still open, so all of it is new.
                for node in self._tree:
                    node.id = None
                self._conversation, self._unsaved = None, dict.fromkeys(self._tree)
                self._write()
            self._saving = True

    def _write(self) -> None:
        if self._conversation is None:
            if not self._unsaved:
                return
            self._conversation = self._history.start(self.model)
        for node in list(self._unsaved):
            if node.id is None:
                after = node.parent.id if node.parent else BEGINNING
                node.id = self._history.append(
                    self._conversation, node.message, node.stats, after=after, system=node.system
                )
                self._moved = self._moved or node is not self._tree.head
            else:
                self._history.update(node.id, node.content, node.stats)
            del self._unsaved[node]
        if self._moved:
            head = self._tree.head.id if self._tree.head else None
            self._history.show(self._conversation, head or BEGINNING)
            self._moved = False

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except LocalspecError as error:
            if self._saving:
                self._on_fault(f"This conversation can't be saved: {error}")
            self._saving = False
