"""The code blocks of a reply, as the model wrote them."""

from __future__ import annotations

from localspec.chat.thinking import spans
from localspec.errors import UsageError


def code_blocks(reply: str, open_tag: str = "") -> list[str]:
    """Those of the answer, in the order in which they are numbered on the screen. `open_tag` is
    the tag of thinking that the prompt ended with."""
    from markdown_it import MarkdownIt

    # What stands inside the lines is nobody's concern here.
    parser = MarkdownIt("gfm-like").disable("inline")
    return [
        token.content
        for span in spans(reply, open_tag)
        if span.kind == "answer"
        for token in parser.parse(span.text)
        if token.type == "fence"
    ]


def chosen_block(reply: str, open_tag: str, which: str) -> tuple[int, str]:
    """The number and the text of a block; `code` is the last one. Raises UsageError."""
    blocks = code_blocks(reply, open_tag)
    if not blocks:
        raise UsageError("There is no code block in this reply.")
    number = len(blocks) if which == "code" else int(which) if which.isdecimal() else 0
    if not 1 <= number <= len(blocks):
        have = "one code block" if len(blocks) == 1 else f"code blocks 1 to {len(blocks)}"
        raise UsageError(f"This reply has {have}, no {which[:20]}.", "/copy code takes the last.")
    return number, blocks[number - 1]
