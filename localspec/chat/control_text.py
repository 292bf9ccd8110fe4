"""Text of control tokens that a message only quotes, found with nothing but the tokenizer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from localspec.chat.interface import Tokenizer


def control_texts(contents: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """The control tokens that `contents` would become; nearly always none, after one look."""
    text = "\n".join(contents)
    found: list[str] = []
    if not _has_control(text, tokenizer):
        return found
    for line in text.splitlines():
        for known in found:
            line = line.replace(known, "\n")
        while _has_control(line, tokenizer):
            found.append(_first_control(line, tokenizer))
            line = line.replace(found[-1], "\n")
    return found


def _has_control(text: str, tokenizer: Tokenizer) -> bool:
    return tokenizer.tokenize(text, special=True) != tokenizer.tokenize(text, special=False)


def _first_control(text: str, tokenizer: Tokenizer) -> str:
    """The shortest text around the first control token: a longer one has it too, so bisect."""
    end = bisect_left(range(len(text)), True, key=lambda end: _has_control(text[:end], tokenizer))
    after = bisect_left(
        range(end), True, key=lambda start: not _has_control(text[start:end], tokenizer)
    )
    return text[after - 1 : end]
