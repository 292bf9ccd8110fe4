"""What commands need of a screen, without one."""

from __future__ import annotations

from localspec.errors import UsageError
from localspec.tui.plain.entering import Entry
from localspec.tui.plain.page import Page
from localspec.tui.plain.transcript import PlainTranscript


class PlainParts:
    """The hint, the prompt and the transcript."""

    def __init__(self, page: Page, entry: Entry, transcript: PlainTranscript) -> None:
        self.hint = page
        self.prompt = entry
        self.transcript = transcript


class PlainScreen:
    """Has no other screens to open."""

    async def run_action(self, action: str) -> None:
        raise UsageError("That needs the screen.", "`localspec chat --no-plain` has it.")
