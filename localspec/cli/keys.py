"""`localspec keys`: every action of the screen that has a key, by the id that the config uses."""

from __future__ import annotations

from typing import Annotated

import typer


def keys(
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the screen's keys; the config changes them by id."""
    from localspec.cli import table
    from localspec.cli.failure import printable, say
    from localspec.settings import load_settings
    from localspec.tui.key_names import shown
    from localspec.tui.keymap import in_force, read_keymap

    keymap = read_keymap(load_settings().keys)
    rows = in_force(keymap)
    if json:
        from json import dumps

        found = [
            {"id": bound.id, "keys": now, "default": bound.keys, "meaning": bound.meaning}
            for bound, now in rows
        ]
        typer.echo(dumps(found, indent=1))
    else:
        cells = [[bound.id, shown(now), bound.meaning] for bound, now in rows]
        for line in table.lines(("ID", "KEYS", "MEANING"), cells):
            typer.echo(line)
    for fault in keymap.faults:
        say(f"localspec: {printable(fault)}")
