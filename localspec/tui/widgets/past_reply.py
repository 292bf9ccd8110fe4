"""A whole reply as widgets."""

from __future__ import annotations

from textual.widget import Widget

from localspec.chat.thinking import spans
from localspec.tui.pages import Pages
from localspec.tui.thoughts import Thought, Thoughts
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.thought_line import ThoughtLine


def past_reply(text: str, thoughts: Thoughts) -> list[Widget]:
    """Its answer in pages, its thinking in lines that unfold."""
    from localspec.tui.widgets.prose import Prose

    parts: list[Widget] = []
    counted = list(thoughts.blocks)
    num_code = 0
    found = spans(displayable(text), thoughts.open_tag)
    answered = any(span.kind == "answer" for span in found)
    for span in found:
        if span.kind == "thinking":
            thought = counted.pop(0) if counted else Thought()
            parts.append(ThoughtLine(thought, span.text, ended=True, unfolds=not answered))
        elif span.kind == "answer":
            pages = Pages(num_code)
            parts += [Prose(part) for part in pages.split(span.text)]
            num_code = pages.num_code
    return parts
