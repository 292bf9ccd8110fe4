"""Work beside the screen's own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode


def in_background(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, None]], group: str, newest: bool = False
) -> None:
    """It ends with the node; with `newest` also when there is newer work in the group."""
    started: Any = work
    node.run_worker(started, group=group, exclusive=newest)
