"""A long reply in pages: appending to a page costs the same at the first token and the last."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONG = 600
_TOO_LONG = 1_200
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")


@dataclass(slots=True)
class Part:
    """Text for one page."""

    text: str
    continued: bool = False
    """It goes on inside the list, table, code or paragraph that the page before ended in."""
    num_code: int = 0
    """Code blocks before the first that is on it."""
    begins_in_code: bool = False
    """That one began on the page before."""


class Pages:
    """Cuts text that arrives in parts."""

    def __init__(self, num_code: int = 0) -> None:
        """`num_code` code blocks came before the text."""
        self.num_code = num_code
        self._length = 0
        self._line = ""
        self._last_line = ""
        self._after_blank = False
        self._head = ""
        """The code block's first line or the table's first two, while the text is in one."""
        self._fence = ""

    @property
    def in_code(self) -> bool:
        return bool(self._fence)

    def split(self, text: str) -> list[Part]:
        """The text for the current page, then for each page that follows it."""
        parts = [Part("", num_code=self.num_code)]
        for line in text.splitlines(keepends=True):
            if self._ends_before(line):
                if self._fence:
                    parts[-1].text += f"{self._fence}\n"
                parts.append(self._next_part())
                self._length = 0
            parts[-1].text += line
            self._observe(line)
        return parts

    def _next_part(self) -> Part:
        in_code = bool(self._fence)
        return Part(self._head, not self._after_blank, self.num_code - in_code, in_code)

    def _ends_before(self, line: str) -> bool:
        if self._line:
            # In the middle of a line only what has no lines at all is cut.
            return self._length > 2 * _TOO_LONG and not self._head
        if self._length > _TOO_LONG:
            return True
        # An indented line may belong to a list item above it.
        return self._length > _LONG and self._after_blank and not line[:1].isspace()

    def _observe(self, part: str) -> None:
        self._length += len(part)
        self._line += part
        self._after_blank = False
        if self._line.endswith("\n"):
            self._observe_line(self._line)
            self._last_line, self._line = self._line, ""

    def _observe_line(self, line: str) -> None:
        blank = not line.strip()
        if match := _FENCE.match(line):
            self._observe_fence(line, *match.groups())
        elif self._fence:
            return
        elif blank:
            self._head = ""
        elif "|" in self._last_line and "|" in line and _TABLE_RULE.fullmatch(line.rstrip("\n")):
            self._head = self._last_line + line
        self._after_blank = blank

    def _observe_fence(self, line: str, mark: str, info: str) -> None:
        if not self._fence:
            # A backtick behind the fence makes it code inside a line.
            if "`" not in info or mark.startswith("~"):
                self._fence, self._head = mark, line
                self.num_code += 1
        elif mark.startswith(self._fence) and not info.strip():
            self._fence = self._head = ""
