"""The user's keys: the table [keys] of the config, id to keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from localspec.errors import UsageError
from localspec.tui.key_names import is_typed, read_keys, shown
from localspec.tui.key_table import Bound, editor_keys, key_table, typing_scopes

_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Keymap:
    """Keys by id where they are others than from the start, and a sentence for each line of the
    table that was left out."""

    keys: dict[str, list[str]]
    faults: tuple[str, ...]

    @property
    def for_textual(self) -> dict[str, str]:
        return {id: ",".join(keys) for id, keys in self.keys.items()}


def read_keymap(table: Mapping[str, Any]) -> Keymap:
    """Never fails: what can't be is a sentence, and the keys stay as they are."""
    wanted: dict[str, list[str]] = {}
    faults = []
    for id, value in _flat(table):
        try:
            wanted[id] = _keys(id, value)
        except UsageError as error:
            told = str(error)
            faults.append(f"[keys] {_cut(id)}: {told}" + ("" if told.endswith("?") else "."))
    faults += _without_clashes(wanted)
    return Keymap(wanted, tuple(faults))


def _flat(table: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """TOML reads `chat.xray = "f6"` as a table in a table."""
    found = []
    for name, value in table.items():
        id = f"{above}{name}"
        inner = isinstance(value, Mapping) and id.count(".") < _DEEPEST
        found += _flat(value, f"{id}.") if inner else [(id, value)]
    return found


def _keys(id: str, value: Any) -> list[str]:
    known = key_table()
    if id not in known:
        near = get_close_matches(id, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`localspec keys` lists them"
        raise UsageError(f"there is no such action; {hint}")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = ",".join(value)
    if not isinstance(value, str):
        raise UsageError('keys are written as "f6" or "f6,ctrl+x"')
    keys = read_keys(value)
    for key in keys:
        if is_typed(key) and known[id].scope in typing_scopes():
            raise UsageError(f"{key} is a character to type there")
        # The text that is written takes its keys first.
        hidden = key in editor_keys() and known[id].scope == "chat" and not known[id].priority
        if hidden:
            raise UsageError(f"{key} is the editor's key for: {editor_keys()[key]}")
    return keys


def _without_clashes(wanted: dict[str, list[str]]) -> list[str]:
    """Take out what another action has already; returns a sentence for each."""
    faults = []
    while clash := _clash(wanted):
        id, key, other = clash
        del wanted[id]
        faults.append(f"[keys] {id}: {key} is {other}'s already; {id} keeps {_first(id)}.")
    return faults


def _clash(wanted: dict[str, list[str]]) -> tuple[str, str, str] | None:
    table = key_table()
    # The last line of the table gives way.
    for id in reversed(wanted):
        for other in table.values():
            if other.id == id or not table[id].meets(other):
                continue
            for key in wanted.get(other.id, other.keys):
                if key in wanted[id]:
                    return id, shown([key]), other.id
    return None


def _first(id: str) -> str:
    return shown(key_table()[id].keys)


def _cut(id: str) -> str:
    return id if len(id) <= 40 else f"{id[:40]}…"


def in_force(keymap: Keymap) -> list[tuple[Bound, list[str]]]:
    """Every action with its keys of now."""
    return [(bound, keymap.keys.get(bound.id, bound.keys)) for bound in key_table().values()]
