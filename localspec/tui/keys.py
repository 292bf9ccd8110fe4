"""What Textual's reader of keys gets wrong."""

from __future__ import annotations

import codecs
from functools import partial
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys


def read_alt_enter() -> None:
    """Alt+Enter of a terminal without the Kitty protocol is a new line.

    Textual drops the Alt and reports Enter, which would send a half-written message.
    """
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (Keys.ControlJ,)


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
