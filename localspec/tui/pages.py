"""A long reply in pages: appending to a page costs the same at the first token and the last."""

from __future__ import annotations

import re

_LONG = 4_000
_TOO_LONG = 10_000
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")


class Pages:
    """Cuts text that arrives in parts; knows where Markdown can be cut unseen."""

    def __init__(self) -> None:
        self._length = 0
        self._line = ""
        self._after_blank = False
        self._fence = ""
        """The line that opened the code block that the text is in."""
        self._mark = ""

    def split(self, text: str) -> list[str]:
        """The text for the current page, then for each page that follows it."""
        parts = [""]
        for line in text.splitlines(keepends=True):
            if not self._line and self._ends_before(line):
                if self._fence:
                    parts[-1] += f"{self._mark}\n"
                parts.append(self._fence)
                self._length = 0
            parts[-1] += line
            self._observe(line)
        return parts

    def _ends_before(self, line: str) -> bool:
        if self._length > _TOO_LONG:
            return True
        # An indented line may belong to a list item above it.
        starts_block = self._after_blank and not line[:1].isspace()
        return self._length > _LONG and starts_block and not self._fence

    def _observe(self, part: str) -> None:
        self._length += len(part)
        self._line += part
        if not self._line.endswith("\n"):
            return
        line, self._line = self._line, ""
        self._after_blank = not line.strip()
        match = _FENCE.match(line)
        if match is None:
            return
        mark, info = match.groups()
        if not self._fence:
            self._fence, self._mark = line, mark
        elif mark.startswith(self._mark) and not info.strip():
            self._fence = ""
