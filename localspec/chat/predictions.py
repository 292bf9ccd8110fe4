"""Texts of a conversation that the next reply may repeat: code blocks, and so attached files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from localspec.chat.events import Message

MIN_CHARS = 80
"""A shorter block is found by what was said before as quickly."""
MAX_TEXTS = 8
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def predicted_texts(messages: Sequence[Message]) -> list[str]:
    """The blocks of the last message first, then those before it: the user asks for a change to
    what was just sent or just written."""
    texts: dict[str, None] = {}
    for message in reversed(messages):
        if message.role != "system":
            texts |= dict.fromkeys(code_blocks(message.content))
    return [text for text in texts if len(text.strip()) >= MIN_CHARS][:MAX_TEXTS]


def code_blocks(text: str) -> Iterator[str]:
    """What stands between fences; an open one reaches to the end (CommonMark 0.31, 4.5)."""
    fence, block = "", ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        mark, info = match.groups() if match else ("", "")
        if not fence:
            # A backtick behind the fence makes it code inside a line.
            fence = mark if "`" not in info or mark.startswith("~") else ""
        elif mark.startswith(fence) and not info.strip():
            yield block
            fence, block = "", ""
        else:
            block += line
    if block:
        yield block
