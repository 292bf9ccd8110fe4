"""When Python looks for garbage. A full look at all the widgets of a long reply held up keys for
0.4 seconds, and the looks while starting took a seventh of the start.

Nothing happens before `pause`: a test that opens a screen keeps its process as it is.
"""

from __future__ import annotations

import gc

_managed = False


def pause() -> None:
    """While the screen is being started: what is imported stays."""
    global _managed
    _managed = True
    gc.disable()


def resume() -> None:
    """The screen is there."""
    if _managed:
        gc.freeze()
        gc.enable()


def settle() -> None:
    """What has just been drawn stays for a while, and is not looked at until `unsettle`."""
    if _managed:
        gc.collect(1)
        gc.freeze()


def unsettle() -> None:
    """Widgets were taken away: the next looks are at everything."""
    if _managed:
        gc.unfreeze()
