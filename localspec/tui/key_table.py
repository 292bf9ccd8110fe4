"""Every key that localspec's screens and widgets bind, by id."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from textual.binding import Binding
from textual.dom import DOMNode
from textual.widgets import TextArea

from localspec import tui
from localspec.tui.key_meanings import MEANINGS
from localspec.tui.key_names import is_typed

_FIRST = ("app", "chat", "prompt", "turn")
_SHARED = [{"chat", "prompt"}]
"""Scopes whose keys are heard at the same time. Those of `app` are heard everywhere."""


@dataclass(slots=True)
class Bound:
    """An action that has keys."""

    id: str
    name: str
    action: str
    meaning: str
    priority: bool
    keys: list[str] = field(default_factory=list)

    @property
    def scope(self) -> str:
        return self.id.partition(".")[0]

    def meets(self, other: Bound) -> bool:
        """Whether both listen at the same time, so that one key can't be both."""
        scopes = {self.scope, other.scope}
        if len(scopes) == 1 or "app" in scopes or scopes in _SHARED:
            return True
        # What has focus hears a key before the chat does, but for the keys that have priority.
        chat = self if self.scope == "chat" else other
        return "chat" in scopes and chat.priority and scopes == {"chat", "turn"}


def classes() -> Iterator[type[DOMNode]]:
    """Our classes with keys of their own. Imports all of tui/."""
    for module in pkgutil.walk_packages(tui.__path__, f"{tui.__name__}."):
        for found in vars(importlib.import_module(module.name)).values():
            ours = isinstance(found, type) and found.__module__ == module.name
            if ours and issubclass(found, DOMNode) and found.__dict__.get("BINDINGS"):
                yield found


@cache
def key_table() -> dict[str, Bound]:
    """By id, with the keys that they have from the start."""
    table: dict[str, Bound] = {}
    for binding in (each for found in classes() for each in Binding.make_bindings(found.BINDINGS)):
        if binding.id is not None:
            new = Bound(
                binding.id, name_of(binding), binding.action, meaning(binding), binding.priority
            )
            bound = table.setdefault(binding.id, new)
            if binding.key not in bound.keys:
                bound.keys.append(binding.key)
    order = {scope: place for place, scope in enumerate(_FIRST)}
    found = sorted(table.values(), key=lambda bound: order.get(bound.scope, len(order)))
    return {bound.id: bound for bound in found}


def name_of(binding: Binding) -> str:
    """In a word or two."""
    _, _, verb = (binding.id or "").rpartition(".")
    return binding.description or verb.replace("_", " ").capitalize()


def meaning(binding: Binding) -> str:
    return MEANINGS.get(binding.id or "") or binding.tooltip or binding.description


@cache
def editor_keys() -> dict[str, str]:
    """Keys of the text that is being written, which the chat's own never hear."""
    bindings = Binding.make_bindings(TextArea.BINDINGS)
    return {binding.key: binding.description.lower() for binding in bindings}


@cache
def typing_scopes() -> set[str]:
    """Where letters are text, so that none of them can be a key."""
    table = key_table().values()
    scopes = {bound.scope for bound in table}
    return scopes - {bound.scope for bound in table for key in bound.keys if is_typed(key)}
