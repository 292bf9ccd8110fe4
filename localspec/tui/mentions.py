"""`@file` in a message: which words name files, and what takes their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from localspec.tui.folds import Written

_WORD = re.compile(r"""(?<![^\s(\[{])@(?:"((?:[^"\\\n]|\\.)+)"|([^\s"@]\S*))""")
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_BEHIND = ".,;:!?)]}'\""
_ODD = re.compile(r"[\s\"\\]|[.,;:!?)\]}']$|^['(\[{]")
# A decorator may have dots, an npm package a slash: only these are taken for a mistyped file.
_SURE = re.compile(r"(?:~|\.{0,2}[\\/]|[A-Za-z]:[\\/])")
_ENDING = re.compile(
    r"\.(?:bash|c|cc|cfg|conf|cpp|cs|css|csv|cu|go|h|hpp|html?|ini|ipynb|java|jinja|jpe?g|jsx?|json"
    r"|jsonl|kt|log|lua|md|pdf|php|png|py|pyi|rb|rs|rst|sh|sql|svg|swift|tex|toml|tsv|tsx?|txt"
    r"|xml|ya?ml|zip)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a message that names a file."""

    start: int
    end: int
    path: str


def mentions(written: Written) -> list[Mention]:
    """In the order of the text. Looks at the disk. What was pasted or stands in a fence only
    quotes; an address, a decorator and a name of a person stay text."""
    words = list(_words(written))
    fenced = [match.span() for match in _FENCED.finditer(written.text)] if words else []
    return [
        mention
        for match in words
        if not any(start <= match.start() < end for start, end in fenced)
        and (mention := _mention(match)) is not None
    ]


def unmarked(text: str, found: list[Mention]) -> str:
    """The text with plain names: sent again, it attaches nothing twice."""
    parts: list[str] = []
    place = 0
    for mention in found:
        parts += [text[place : mention.start], mention.path]
        place = mention.end
    return "".join([*parts, text[place:]])


def quoted(path: str, closed: bool = True) -> str:
    """The path as it is written behind the @."""
    if not _ODD.search(path):
        return path
    escaped = re.sub(r'(["\\])', r"\\\1", path)
    return f'"{escaped}"' if closed else f'"{escaped}'


def unquoted(text: str) -> str:
    """The path that is meant, the closing quote perhaps not written yet."""
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", r"\1", text[1:].removesuffix('"'))


def _words(written: Written) -> Iterator[re.Match[str]]:
    for start, end in written.gaps:
        yield from _WORD.finditer(written.text, start, end)


def _mention(match: re.Match[str]) -> Mention | None:
    start, end = match.span()
    if match[1] is not None:
        return Mention(start, end, re.sub(r"\\(.)", r"\1", match[1]))
    word = match[2]
    bare = word.rstrip(_BEHIND)
    for name in (word, bare):
        if name and _is_file(name):
            return Mention(start, start + 1 + len(name), name)
    if bare and (_SURE.match(bare) or _ENDING.search(bare) or _is_in_a_folder(bare)):
        return Mention(start, start + 1 + len(bare), bare)
    return None


def _is_file(name: str) -> bool:
    try:
        return Path(name).expanduser().is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _is_in_a_folder(name: str) -> bool:
    """A slash behind the name of a directory that there is."""
    folder, slash, _ = name.partition("/")
    try:
        return bool(slash) and Path(folder).is_dir()
    except (OSError, ValueError):
        return False
