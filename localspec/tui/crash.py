"""A fault of the screen itself: one line for the user, the traceback in the log."""

from __future__ import annotations

import io
import traceback
from collections.abc import Sequence

from rich.console import Console, RenderableType

from localspec import paths
from localspec.credentials import redacted
from localspec.tui.untrusted import displayable


def report(error: BaseException | None, drawn: Sequence[RenderableType]) -> str:
    """The line. `drawn` is what there is of a fault whose exception is not at hand."""
    text = "".join(traceback.format_exception(error)) if error else _plain(drawn)
    what = f": {type(error).__name__}: {' '.join(str(error).split())[:200]}" if error else ""
    log = paths.log_file()
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{redacted(text)}\n")
        where = f"The traceback is in {log}."
    except OSError as fault:
        where = f"The log {log} can't be written: {fault.strerror}."
    saved = "What was said is saved."
    return displayable(redacted(f"localspec: the screen failed{what}. {saved} {where}"))


def _plain(drawn: Sequence[RenderableType]) -> str:
    output = io.StringIO()
    console = Console(file=output, width=120, color_system=None, force_terminal=False)
    for each in drawn:
        console.print(each)
    return output.getvalue()
