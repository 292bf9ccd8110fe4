"""`localspec sessions`, `export` and `import`: the saved conversations, without the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from localspec.chat.history import History
    from localspec.chat.listing import Conversation

_TITLE = 48


def sessions(
    search: Annotated[
        list[str] | None, typer.Argument(help="Only those in which these words were said.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the saved conversations, the newest first."""
    from contextlib import closing

    from localspec.cli import table

    with closing(_history()) as history:
        found = history.search(" ".join(search or ()))
    if json:
        from json import dumps

        typer.echo(dumps([_as_object(each) for each in found], indent=1, ensure_ascii=False))
    elif found:
        head = ("ID", "UPDATED", "MESSAGES", "MODEL", "TITLE")
        for line in table.lines(head, [_row(each) for each in found]):
            typer.echo(line)
    else:
        nothing = "Nothing was found." if search else "No conversation is saved yet."
        typer.echo(nothing, err=True)


def export(
    conversation: Annotated[int, typer.Argument(metavar="ID", help="From `localspec sessions`.")],
    file: Annotated[
        str | None, typer.Argument(help="Markdown, or everything as .json; - is the output.")
    ] = None,
) -> None:
    """Write a conversation to a file."""
    from contextlib import closing

    from localspec.chat.exchange import files
    from localspec.cli.failure import say
    from localspec.errors import UsageError

    with closing(_history()) as history:
        title = history.conversation(conversation).title
        try:
            path = Path(file).expanduser() if file else files.free_name(title, ".md")
        except RuntimeError:
            raise UsageError(f"{file} is in nobody's home.") from None
        text = files.exported(history, conversation, path.suffix)
    if file == "-":
        typer.echo(text, nl=False)
    else:
        files.write(path, text)
        say(f"Exported to {path}.")


def import_file(
    file: Annotated[str, typer.Argument(help="What `export` wrote, or a JSON list of messages.")],
) -> None:
    """Take a conversation in from a file."""
    from contextlib import closing

    from localspec.chat.exchange import files

    with closing(_history()) as history:
        conversation = files.imported(history, file)
    typer.echo(f"Conversation {conversation}; `localspec chat --resume {conversation}` opens it.")


def _history() -> History:
    from localspec import paths
    from localspec.chat.history import History

    return History(paths.history_file())


def _row(each: Conversation) -> list[str]:
    title = each.title if len(each.title) <= _TITLE else each.title[: _TITLE - 1] + "…"
    updated = each.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
    return [str(each.id), updated, str(each.num_messages), each.model, title]


def _as_object(each: Conversation) -> dict[str, Any]:
    return {
        "id": each.id,
        "title": each.title,
        "model": each.model,
        "updated_at": each.updated_at.isoformat(),
        "num_messages": each.num_messages,
        "found": each.found,
    }
