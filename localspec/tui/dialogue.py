"""The conversation on the screen, saved as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.errors import LocalspecError
from localspec.tui.meter import Clock

_SAVE_EVERY = 1.0


class Dialogue:
    """Questions and replies in order. A history that can't be written doesn't stop the chat."""

    def __init__(self, history: History, clock: Clock, on_fault: Callable[[str], None]) -> None:
        self.turns: list[Message] = []
        self.system = ""
        self._history = history
        self._clock = clock
        self._on_fault = on_fault
        self._saving = True
        self._conversation: int | None = None
        self._saved_system = ""
        self._question_id: int | None = None
        self._reply_id: int | None = None
        self._saved_at = 0.0

    def reopen(self, conversation: int) -> None:
        """Go on with a saved conversation; its own system prompt yields to one given already."""
        messages = self._history.messages(conversation)
        system = [message.content for message in messages if message.role == "system"]
        self._saved_system = system[-1] if system else ""
        self.system = self.system or self._saved_system
        self.turns = [message for message in messages if message.role != "system"]
        self._conversation = conversation

    def clear(self) -> None:
        """Begin a new conversation; the old one stays saved."""
        self.turns.clear()
        self._conversation = None
        self._saved_system = ""

    @property
    def conversation(self) -> int | None:
        """Its number in the history, once it is there."""
        return self._conversation

    @property
    def saved(self) -> bool:
        return self._saving and self._history.lasting

    @property
    def messages(self) -> list[Message]:
        """What the model is given."""
        system = [Message("system", self.system)] if self.system else []
        return system + self.turns

    def ask(self, text: str, model: str) -> None:
        question = Message("user", text)
        self.turns.append(question)
        self._question_id = self._reply_id = None
        with self._guard():
            if self._conversation is None:
                self._conversation = self._history.start(model)
            if self.system != self._saved_system:
                self._history.append(self._conversation, Message("system", self.system))
                self._saved_system = self.system
            self._question_id = self._history.append(self._conversation, question)

    def grow(self, reply: str) -> None:
        """Save the unfinished reply, about once a second."""
        now = self._clock()
        if self._reply_id is not None and now - self._saved_at < _SAVE_EVERY:
            return
        self._saved_at = now
        self._save(reply, None)

    def conclude(self, reply: str, stats: dict[str, Any]) -> None:
        self.turns.append(Message("assistant", reply))
        self._save(reply, stats)

    def withdraw(self) -> str:
        """Take back the question that got no reply; returns its text."""
        with self._guard():
            if self._question_id is not None:
                self._history.remove_from(self._question_id)
        return self.turns.pop().content

    def _save(self, reply: str, stats: dict[str, Any] | None) -> None:
        with self._guard():
            if self._reply_id is None and self._conversation is not None:
                message = Message("assistant", reply)
                self._reply_id = self._history.append(self._conversation, message, stats)
            elif self._reply_id is not None:
                self._history.update(self._reply_id, reply, stats)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except LocalspecError as error:
            if self._saving:
                self._on_fault(f"This conversation can't be saved: {error}")
            self._saving = False
