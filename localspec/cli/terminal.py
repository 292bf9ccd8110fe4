"""Whether there is a terminal that a screen can be drawn on."""

from __future__ import annotations

import sys


def has_screen() -> bool:
    """Textual draws on stderr and reads stdin; a screen that is redirected shows nothing."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
