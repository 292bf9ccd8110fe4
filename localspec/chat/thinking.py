"""Where a reply is thinking and where it answers, found as the text arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
"""What opens a block of thinking, and what closes it."""

Kind = Literal["answer", "thinking", "tag"]

_ANY_TAG = re.compile("|".join(re.escape(tag) for pair in TAGS.items() for tag in pair))
_LONE_TAG = re.compile(rf"^[ \t]*({_ANY_TAG.pattern})[ \t]*$", re.MULTILINE)
_STOPS = re.compile(r"[\n<\[◁]")
_FENCE = re.compile(r"\s*(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)")
_BLANK_LINE = re.compile(r"[ \t]*\n[ \t]*\n")
_ALMOST_BLANK_LINE = re.compile(r"[ \t]*(\n[ \t]*)?")


@dataclass(slots=True)
class Span:
    """A stretch of the text. A tag takes the white space behind it along."""

    kind: Kind
    text: str


class ThinkingParser:
    """Takes text in parts and gives it back in spans that together are the same text. What may yet
    become a tag is held back.

    A tag opens at the beginning of a line; none counts inside code. Thinking may end with its code
    left open, so there a closing tag counts if an empty line follows, as models write it.
    """

    def __init__(self, open_tag: str = "") -> None:
        """`open_tag` is the one that the prompt ended with, if it did."""
        self._closing = TAGS.get(open_tag, "")
        """What ends the thinking under way."""
        self._after_tag = bool(self._closing)
        self._held = ""
        self._line = ""
        self._fence = ""

    @property
    def thinking(self) -> bool:
        return bool(self._closing)

    @property
    def in_code(self) -> bool:
        return bool(self._fence)

    @property
    def holds(self) -> bool:
        """Whether something is held back."""
        return bool(self._held)

    def feed(self, text: str) -> list[Span]:
        self._held += text
        return _joined(self._spans(final=False))

    def finish(self) -> list[Span]:
        """What was held back: nothing more will come."""
        return _joined(self._spans(final=True))

    def _spans(self, final: bool) -> Iterator[Span]:
        while self._held and (length := self._next_length(final)) is not None:
            kind = self._kind(length)
            text, self._held = self._held[:length], self._held[length:]
            if kind == "tag":
                self._pass_tag(text)
            else:
                self._pass_text(text)
            yield Span(kind, text)

    def _next_length(self, final: bool) -> int | None:
        """Of the next stretch of one kind; None where the rest must come first."""
        if self._after_tag and (space := len(self._held) - len(self._held.lstrip())):
            return space
        stop = _STOPS.search(self._held)
        if stop is None:
            return len(self._held)
        if stop.start():
            return stop.start()
        for tag in self._possible_tags():
            if self._held.startswith(tag):
                if not self._doubtful(tag):
                    return len(tag)
                rest = self._held[len(tag) :]
                if _BLANK_LINE.match(rest):
                    return len(tag)
                if _ALMOST_BLANK_LINE.fullmatch(rest):
                    return len(tag) if final else None
            elif tag.startswith(self._held) and not final:
                return None
        return 1

    def _kind(self, length: int) -> Kind:
        text = self._held[:length]
        if self._after_tag and text.isspace():
            return "tag"
        if text in self._possible_tags():
            return "tag"
        return "thinking" if self._closing else "answer"

    def _possible_tags(self) -> list[str]:
        """Those that would count here."""
        if self._closing:
            return [self._closing]
        return [] if self._fence or self._line.strip() else list(TAGS)

    def _doubtful(self, tag: str) -> bool:
        """A closing tag in code or in quotes."""
        quoted = self._line.count("`") % 2 == 1 or self._line[-1:] in ("'", '"', "“")
        return bool(self._closing) and (quoted or bool(self._fence))

    def _pass_tag(self, text: str) -> None:
        if not text.isspace():
            self._closing = "" if self._closing else TAGS[text]
            self._fence = ""
        self._after_tag = True
        self._line = ""

    def _pass_text(self, text: str) -> None:
        self._after_tag = False
        if text != "\n":
            self._line += text
            return
        if match := _FENCE.match(self._line):
            self._pass_fence(*match.groups())
        self._line = ""

    def _pass_fence(self, mark: str, info: str) -> None:
        if not self._fence:
            # A backtick behind the fence makes it code inside a line.
            self._fence = mark if "`" not in info or mark.startswith("~") else ""
        elif mark.startswith(self._fence) and not info.strip():
            self._fence = ""


def spans(reply: str, open_tag: str = "") -> list[Span]:
    """A whole reply."""
    parser = ThinkingParser(open_tag)
    return _joined(iter([*parser.feed(reply), *parser.finish()]))


def left_open(text: str) -> str:
    """The tag that a text opened last and did not close; empty if there is none."""
    opened = ""
    for tag in _ANY_TAG.findall(text):
        if tag in TAGS:
            opened = tag
        elif tag == TAGS.get(opened):
            opened = ""
    return opened


def opened_before(reply: str) -> str:
    """The tag that stood in the prompt of a reply of which only the text is left, as well as that
    can be told: a closing tag on a line of its own is the first."""
    found = _LONE_TAG.search(reply)
    opening = next((tag for tag in TAGS if found and TAGS[tag] == found[1]), "")
    if not found or not opening:
        return ""
    parser = ThinkingParser()
    before = parser.feed(reply[: found.start()])
    inside = parser.in_code or any(span.kind == "tag" for span in before)
    return "" if inside else opening


def _joined(each: Iterator[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in each:
        if joined and joined[-1].kind == span.kind:
            joined[-1].text += span.text
        else:
            joined.append(span)
    return joined
