"""Files that a message names: shown while it is written, put into it when it is sent."""

from __future__ import annotations

import asyncio
from pathlib import Path

from localspec.chat.attachment import attached, read_text
from localspec.errors import UsageError
from localspec.tui.folds import Written
from localspec.tui.handed import Handed
from localspec.tui.mentions import mentions, unmarked
from localspec.tui.token_count import Count, TokenCount
from localspec.tui.untrusted import displayable

_PAUSE_S = 0.15
"""In typing, before the disk is asked."""


class Attaching:
    """Each count is the model's own where it can be had."""

    def __init__(self, count: TokenCount, handed: Handed) -> None:
        self._count = count
        self._handed = handed

    async def preview(self, written: Written) -> str:
        """What would go with the message; a file that can't is told of when it is sent."""
        await asyncio.sleep(_PAUSE_S)
        named = "@" in written.text
        files = await asyncio.to_thread(_readable, written) if named else {}
        return await self._told(self._handed.files | files)

    async def outgoing(self, written: Written) -> tuple[str, str]:
        """The message as the model gets it, and a line about what is attached. Raises
        UsageError: nothing is to be sent then."""
        text, files = await asyncio.to_thread(_read, written)
        message = text
        for path, content in files.items():
            message = attached(message, path, content)
        every = self._handed.files | files
        whole = message
        for path, content in self._handed.files.items():
            whole = attached(whole, path, content)
        if (tokens := await self._count.excess(whole)) is not None:
            await self._refuse(every, tokens)
        return message.strip(), await self._told(every, "Sent with")

    async def _refuse(self, files: dict[str, str], tokens: int) -> None:
        what = f", {await self._told(files)}" if files else ""
        raise UsageError(
            f"The message is larger than the context: {tokens:,} tokens or more{what}.",
            "F8 sets another context; nothing was sent.",
        )

    async def _told(self, files: dict[str, str], what: str = "attached") -> str:
        told = [_named(path, await self._count.of(text)) for path, text in files.items()]
        return f"{what} {', '.join(told)}" if told else ""


def _named(path: str, count: Count) -> str:
    return f"{displayable(Path(path).name)} · {count}"


def _readable(written: Written) -> dict[str, str]:
    files: dict[str, str] = {}
    for mention in mentions(written):
        try:
            files[mention.path] = read_text(mention.path)
        except UsageError:
            continue
    return files


def _read(written: Written) -> tuple[str, dict[str, str]]:
    """The text with plain names, and the files. Raises UsageError."""
    found = mentions(written)
    try:
        files = {mention.path: read_text(mention.path) for mention in found}
    except UsageError as error:
        raise UsageError(error.message, error.hint or "In backticks the name stays text.")
    return unmarked(written.text, found), files
