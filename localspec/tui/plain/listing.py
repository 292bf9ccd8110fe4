"""Lists as lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from localspec.chat.history import History
from localspec.models.fit_verdict import fit_verdict
from localspec.models.shelf import shelf
from localspec.tui import model_words
from localspec.tui.commands import COMMANDS
from localspec.tui.model_desk import ModelDesk
from localspec.tui.model_rows import ModelRows
from localspec.tui.numbers import Numbers
from localspec.tui.plain.entering import QUOTES
from localspec.tui.stats_table import Row, sections
from localspec.tui.widgets.model_list import ModelRow

_MOST = 20
_BAR = "━─"


def help_lines(names: Collection[str]) -> list[str]:
    lines = [
        f"/{name} {taken}".strip() + f": {meaning}"
        for name, (taken, meaning) in COMMANDS.items()
        if name in names
    ]
    return [
        *lines,
        "/sessions N: open conversation N",
        "/models WORDS: those that match, as 7b, qwen or on disk; /model NAME takes one",
        "@FILE in a message attaches the file.",
        f"{QUOTES} begins a message of several lines, and ends it.",
        "Ctrl+C stops a reply; at the prompt, twice quits. So does Ctrl+D.",
    ]


def session_lines(history: History, words: str) -> list[str]:
    """The newest ones."""
    found = history.search(words)
    lines = [
        f"{each.id}, {each.updated_at.astimezone():%Y-%m-%d %H:%M}, {each.title}"
        for each in found[:_MOST]
    ]
    if len(found) > len(lines):
        lines.append(f"{len(found) - len(lines):,} more; /search TEXT finds them.")
    if not found:
        return ["Nothing was found." if words else "There is no conversation yet."]
    return [*lines, "/sessions N opens one."]


def stats_lines(replies: Sequence[Numbers]) -> Iterator[str]:
    """The last reply's numbers, then those of the conversation where they are others."""
    for title, rows in sections(replies):
        yield f"{title}:"
        for row in rows:
            yield _stats_line(row, several=len(replies) > 1)


def _stats_line(row: Row, several: bool) -> str:
    # A bar is for the eye.
    last, every = (" ".join(text.strip(_BAR).split()) for text in (row.last, row.every))
    together = f"; conversation {every}" if several and every else ""
    return f"{row.name}: {last}{together}"


def model_lines(desk: ModelDesk, words: str) -> Iterator[str]:
    """Those on this disk first; all about it where only one matches."""
    rows = ModelRows(shelf())

    def shown() -> list[ModelRow]:
        found = rows.shown(words, desk.used, desk.pulling)
        return [row for row in found if rows.find(row.key)]

    devices = desk.machine()
    for row in shown()[:_MOST] if devices else ():
        rows.verdicts[row.key] = fit_verdict(row.key, devices)
    found = shown()
    for row in found[:_MOST]:
        yield _model_line(row)
    if len(found) > _MOST:
        yield f"{len(found) - _MOST} more; /models WORDS finds them, as 7b, qwen or on disk."
    if len(found) == 1 and (pair := rows.find(found[0].key)):
        for line in model_words.pair_lines(pair, rows.verdicts.get(pair.name)):
            yield " ".join(line.split())
    yield rows.count(words, len(found)) or (
        "Nothing is called so; `localspec check user/repo` asks the hub."
    )


def _model_line(row: ModelRow) -> str:
    used = "in use" if row.is_used else ""
    parts = (row.name, used, row.parameters, row.quants, row.where, row.fit, row.license)
    return ", ".join(filter(None, parts))
