"""The keys that are heard now: of what has focus first, then of its screen, then everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input, TextArea

from localspec.tui.key_names import shown
from localspec.tui.key_table import meaning, name_of
from localspec.tui.keymap import Keymap, in_force

_TITLES = {
    "prompt": "Writing",
    "turn": "The chosen turn",
    "chat": "The chat",
    "sessions": "Conversations",
    "models": "Models",
    "race": "The race",
    "stats": "The numbers",
    "themes": "Themes",
    "help": "Help",
}
EVERYWHERE = "Everywhere"
TEXTUALS = ("Editing", "Moving")
"""What Textual's own widgets bind."""


@dataclass(slots=True)
class Action:
    """What keys do, and where."""

    name: str
    action: str
    meaning: str
    node: DOMNode | None
    keys: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return shown(self.keys)


def present_keys(screen: Screen[object], keymap: Keymap) -> dict[str, list[Action]]:
    """By title. What Textual's own widgets bind comes last."""
    ours: dict[str, dict[str, Action]] = {}
    theirs: dict[str, Action] = {}
    title = TEXTUALS[not isinstance(screen.focused, Input | TextArea)]
    for key, (node, binding, enabled, _) in screen.active_bindings.items():
        if not enabled:
            continue
        name = binding.description
        if binding.id is None:
            if node is screen.focused and name:
                new = Action(name, binding.action, name.lower(), node)
                theirs.setdefault(binding.action, new).keys.append(key)
        elif (scope := binding.id.partition(".")[0]) != "app":
            new = Action(name_of(binding), binding.action, meaning(binding), node)
            actions = ours.setdefault(_TITLES.get(scope, scope.capitalize()), {})
            actions.setdefault(binding.id, new).keys.append(key)
    # A key of the screen's may stand in the place of one that what has focus has as well.
    chain: list[DOMNode] = list((screen.focused or screen).ancestors_with_self)
    groups = sorted(ours.items(), key=lambda group: _depth(group[1], chain))
    found = {title: list(actions.values()) for title, actions in groups}
    found[EVERYWHERE] = [
        Action(bound.name, f"app.{bound.action}", bound.meaning, None, keys)
        for bound, keys in in_force(keymap)
        if bound.scope == "app"
    ]
    return found | ({title: list(theirs.values())} if theirs else {})


def _depth(actions: dict[str, Action], chain: list[DOMNode]) -> int:
    return min(chain.index(action.node) for action in actions.values() if action.node in chain)
