"""What Textual's reader of keys gets wrong."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from functools import partial, wraps
from types import FunctionType
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.events import Paste
from textual.keys import Keys
from textual.message import Message

_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"


def read_alt_enter() -> None:
    """Alt+Enter of a terminal without the Kitty protocol is a new line.

    Textual drops the Alt and reports Enter, which would send a half-written message.
    """
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (Keys.ControlJ,)


def read_whole_pastes() -> None:
    """A paste is taken in pieces as they are read.

    Textual takes it a character at a time, for which ten megabytes need six seconds.
    """
    read = XTermParser.feed
    if isinstance(getattr(read, "__wrapped__", None), FunctionType):
        return

    @wraps(read)
    def feed(self: XTermParser, data: str) -> Iterable[Message]:
        pasted: list[str] | None = getattr(self, "_pasted", None)
        if pasted is None:
            # Nothing at all is the end of the input.
            before, begin, rest = data.partition(_PASTE_BEGINS)
            if before or not begin:
                yield from read(self, before)
            if begin:
                vars(self)["_pasted"] = []
                yield from feed(self, rest) if rest else ()
            return
        # The end may be cut in two.
        last = pasted.pop() if pasted else ""
        text, end, rest = (last + data).partition(_PASTE_ENDS)
        if not end and data:
            cut = max(0, len(text) - len(_PASTE_ENDS))
            pasted += [text[:cut], text[cut:]]
            return
        vars(self)["_pasted"] = None
        yield Paste("".join([*pasted, text]).replace("\0", ""))
        if rest or not data:
            yield from feed(self, rest)

    cast("Any", XTermParser).feed = feed


def read_any_bytes() -> None:
    """Bytes that are not UTF-8 are read as replacement characters.

    Textual decodes them strictly, and a paste from a binary file would end the chat.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:
        # Windows reads characters, not bytes.
        return
    if hasattr(linux_driver, "getincrementaldecoder"):
        cast("Any", linux_driver).getincrementaldecoder = _lenient_decoder


def _lenient_decoder(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")
