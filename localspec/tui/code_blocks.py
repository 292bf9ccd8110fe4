"""The code blocks of a reply, as the model wrote them."""

from __future__ import annotations

from markdown_it import MarkdownIt

from localspec.chat.thinking import spans


def code_blocks(reply: str, open_tag: str = "") -> list[str]:
    """Those of the answer, in the order in which they are numbered on the screen. `open_tag` is
    the tag of thinking that the prompt ended with."""
    # What stands inside the lines is nobody's concern here.
    parser = MarkdownIt("commonmark").disable("inline")
    return [
        token.content
        for span in spans(reply, open_tag)
        if span.kind == "answer"
        for token in parser.parse(span.text)
        if token.type == "fence"
    ]
