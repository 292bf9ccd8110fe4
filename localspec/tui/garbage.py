"""When Python looks for garbage: not while the screen is being started."""

from __future__ import annotations

import gc


def pause() -> None:
    """What is imported stays: going through it again and again took a seventh of the start."""
    gc.disable()


def resume() -> None:
    """Also, what is there by now is never gone through again: each full look would hold up keys."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
