"""What Textual's reader of keys gets wrong."""

from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys


def read_alt_enter() -> None:
    """Alt+Enter of a terminal without the Kitty protocol is a new line.

    Textual drops the Alt and reports Enter, which would send a half-written message.
    """
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (Keys.ControlJ,)
