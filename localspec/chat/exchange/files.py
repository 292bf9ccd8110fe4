"""Writing and reading the files. Nothing is ever written over."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path

from pydantic import ValidationError

from localspec.chat.exchange import as_json, as_markdown
from localspec.chat.exchange.exported import Exported
from localspec.chat.history import History
from localspec.errors import LocalspecError, UsageError

MAX_BYTES = 256 * 1_048_576
"""Far beyond any conversation; a mistaken path shouldn't fill the memory."""
_NAME_LENGTH = 40
_LATEST = 1e11
"""A date that no calendar has would break every list that it is in."""


def exported(history: History, conversation: int, suffix: str) -> str:
    """The text of a file: JSON for `.json`, else Markdown. Raises LocalspecError."""
    listed = history.conversation(conversation)
    talk = Exported(listed.given_title, listed.model, listed.updated_at, history.tree(conversation))
    return as_json.write(talk) if suffix.lower() == ".json" else as_markdown.write(talk)


def imported(history: History, path: str) -> int:
    """The new conversation's number. A bad file changes nothing. Raises LocalspecError."""
    data = _bytes(path)
    read = as_markdown.read if data.startswith(b"<!-- localspec ") else as_json.read
    try:
        talk = read(data.decode(), datetime.now(UTC))
        at = talk.updated_at.timestamp()
        if not 0 <= at < _LATEST:
            raise ValueError("updated_at is no time of a conversation")
        return history.insert(talk.tree, talk.model, talk.title, at)
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text.") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise _refused(path, f"{place}: {first['msg']}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise _refused(path, str(error)) from None


def write(path: Path, text: str) -> None:
    """A new file, as it is: no line end is changed. Raises UsageError when there is one."""
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"There is a {path} already.", "Give another name.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} can't be written: {reason}.") from None


def free_name(title: str, suffix: str) -> Path:
    """A name in this folder after a title, which is data: letters, digits and dashes are left."""
    plain = unicodedata.normalize("NFKC", title).lower()
    stem = re.sub(r"[\W_]+", "-", plain)[:_NAME_LENGTH].strip("-") or "conversation"
    numbers: Iterator[str] = chain([""], (f"-{number}" for number in count(2)))
    names = (Path(f"{stem}{number}{suffix}") for number in numbers)
    return next(name for name in names if not name.exists())


def _bytes(path: str) -> bytes:
    try:
        file = Path(path).expanduser()
        if not file.is_file():
            raise UsageError(f"{path} is not a file." if file.exists() else f"There is no {path}.")
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise UsageError(f"{path} can't be read: {reason}.") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES // 1_048_576} MiB.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _refused(path: str, reason: str) -> LocalspecError:
    # pydantic quotes what it was given, and that may be long.
    reason = " ".join(reason.split())
    shown = reason if len(reason) <= 200 else reason[:199] + "…"
    hint = "It takes what `localspec export` writes, or a JSON list of messages."
    return UsageError(f"{path} can't be imported: {shown.rstrip('.')}.", hint)
