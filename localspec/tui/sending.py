"""What the user submits: obeyed, asked now, or kept until the model can answer."""

from __future__ import annotations

from localspec.errors import LocalspecError
from localspec.tui.conversations import Conversations
from localspec.tui.orders import Orders
from localspec.tui.parts import Parts
from localspec.tui.talk import Phase, Talk
from localspec.tui.waiting import Waiting
from localspec.tui.writing import Writing


class Sending:
    """A text leaves the prompt when it is dealt with, and not before."""

    def __init__(
        self,
        talk: Talk,
        writing: Writing,
        waiting: Waiting,
        conversations: Conversations,
        orders: Orders,
        parts: Parts,
    ) -> None:
        self._talk = talk
        self._writing = writing
        self._waiting = waiting
        self._conversations = conversations
        self._orders = orders
        self._prompt = parts.prompt
        self._hint = parts.hint

    async def submit(self, text: str) -> None:
        if not text.strip() or not self._prompt.holds(text):
            # Nothing, or what a second Enter sent while the first was being dealt with.
            return
        try:
            command = self._writing.command(text)
            if command is None:
                await self._send(text)
            else:
                self._prompt.take(text)
                await self._orders.obey(command)
                self._writing.recount()
        except LocalspecError as error:
            # It would be glued to the next command; the up arrow brings it back.
            self._prompt.take(text)
            self._hint.say(str(error), error=True)

    async def end_wait(self) -> None:
        """Only at the end of a load: before it, the backend takes no question."""
        if self._talk.phase is Phase.DOWN:
            self._waiting.give_back()
        elif self._talk.phase is Phase.READY and self._waiting:
            await self._ask(self._waiting.take(), waited=True)

    async def _send(self, text: str) -> None:
        if self._talk.phase is Phase.LOADING:
            self._waiting.hold(text)
        elif self._talk.phase is not Phase.READY:
            self._hint.say(self._talk.phase.value, error=True)
        else:
            self._hint.clear()
            await self._ask(text, waited=False)

    async def _ask(self, text: str, waited: bool) -> None:
        """With the files that it names; a text that can't go stays where the user writes."""
        try:
            message = await self._writing.outgoing(text)
        except LocalspecError as error:
            if waited:
                self._prompt.prepend(text)
            self._hint.say(str(error), error=True)
            return
        if not waited:
            self._prompt.take(text)
        await self._talk.ask(message, self._conversations.take_edited())
