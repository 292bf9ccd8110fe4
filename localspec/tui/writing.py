"""What goes on around the prompt while the user writes: completions, files, an editor, the past."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.screen import Screen

from localspec import paths
from localspec.errors import LocalspecError, UsageError
from localspec.tui.attaching import Attaching
from localspec.tui.background import in_background
from localspec.tui.commands import Command, parse
from localspec.tui.completer import Completer
from localspec.tui.external_editor import edited
from localspec.tui.folds import Written
from localspec.tui.handed import Handed
from localspec.tui.link import Link
from localspec.tui.parts import Parts
from localspec.tui.sent_file import SentFile
from localspec.tui.talk import Phase, Talk
from localspec.tui.token_count import TokenCount


class Writing:
    """The screen tells it what happens; it works in the background."""

    def __init__(
        self, screen: Screen[None], parts: Parts, talk: Talk, link: Link, handed: Handed
    ) -> None:
        self._screen = screen
        self._parts = parts
        self._prompt = parts.prompt
        self._talk = talk
        self._completer = Completer(parts.prompt, parts.choices)
        self._attaching = Attaching(TokenCount(link, talk), handed)
        self._file = SentFile(paths.sent_file())
        self._keeping = asyncio.Lock()
        self._editing = False
        parts.prompt.takes_key = self._completer.takes_key
        parts.prompt.on_sent = self._keep

    def begin(self) -> None:
        in_background(self._screen, self._recall, "sent")

    def changed(self) -> None:
        """The text is another."""
        self.moved()
        self.recount()

    def moved(self) -> None:
        """The cursor is at another place."""
        self._completer.changed()

    def recount(self) -> None:
        """What is attached, or who counts its tokens, may be another."""
        in_background(self._screen, self._preview, "attached", newest=True)

    def command(self, text: str) -> Command | None:
        """What a submitted text orders; None for a message. A long paste is never an order, with
        whatever it begins. Raises UsageError."""
        written = self._prompt.written_for(text)
        begins_folded = bool(written.folds) and written.folds[0][0] == 0
        return None if begins_folded else parse(text)

    async def outgoing(self, text: str) -> str:
        """The message that is sent for a submitted text. Raises LocalspecError."""
        message, told = await self._attaching.outgoing(self._prompt.written_for(text))
        if self._talk.phase is not Phase.READY:
            raise UsageError(self._talk.phase.value)
        self._prompt.sent_as(message, text)
        self._parts.hint.say(told)
        return message

    def open_editor(self) -> None:
        if not self._editing:
            self._editing = True
            in_background(self._screen, self._edit, "editor")

    async def _edit(self) -> None:
        try:
            self._prompt.change(await edited(self._screen.app, self._prompt.written.text))
        except LocalspecError as error:
            self._parts.hint.say(str(error), error=True)
        finally:
            self._editing = False

    async def _preview(self) -> None:
        self._parts.attached.say(await self._attaching.preview(self._prompt.written))

    async def _recall(self) -> None:
        self._prompt.sent.put_before(await asyncio.to_thread(self._file.read))

    def _keep(self, written: Written) -> None:
        in_background(self._screen, partial(self._append, written), "sent")

    async def _append(self, written: Written) -> None:
        async with self._keeping:
            await asyncio.to_thread(self._file.append, written)
