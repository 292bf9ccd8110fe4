"""Files that the user hands over: text to attach to a message, or to predict the reply by."""

from __future__ import annotations

import re
from pathlib import Path

from localspec.errors import UsageError

MAX_BYTES = 1_048_576
"""Far beyond what a context holds; a mistaken path shouldn't fill the memory."""


def read_text(path: str) -> str:
    """The text of a UTF-8 file, its line ends as a model writes them. Raises UsageError."""
    file = Path(path).expanduser()
    try:
        if file.is_dir():
            raise UsageError(f"{path} is a directory.", "Give the name of a file.")
        if not file.is_file():
            # A pipe might never end, and a device never does.
            raise UsageError(f"{path} is not a file." if file.exists() else f"There is no {path}.")
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {getattr(error, 'strerror', error)}.") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES // 1_048_576} MiB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{path} is not UTF-8 text.")
    if not text.strip():
        raise UsageError(f"{path} is empty.")
    return re.sub(r"\r\n?", "\n", text)


def attached(prompt: str, path: str, text: str) -> str:
    """The prompt with a file's name and text behind it, in a fence that no line of it can end."""
    ticks = max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1
    fence = "`" * ticks
    name = re.sub(r"[^\w.+ -]", "_", Path(path).name)
    language = re.sub(r"\W", "", Path(path).suffix)
    block = f"{name}:\n\n{fence}{language}\n{text.rstrip()}\n{fence}"
    return f"{prompt.rstrip()}\n\n{block}" if prompt.strip() else block
