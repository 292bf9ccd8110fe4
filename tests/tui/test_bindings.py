"""What holds for every key of every screen and widget."""

from __future__ import annotations

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from localspec.tui.key_meanings import MEANINGS
from localspec.tui.key_names import read_keys
from localspec.tui.key_table import classes, key_table, meaning
from localspec.tui.widgets.prompt import Prompt

OURS = list(classes())
SWALLOWED = {"ctrl+b", "ctrl+z", "ctrl+backslash", "tilde", "f10", "f11"}
"""By tmux, by a shell that suspends, by ssh, by the window."""
_UNDO = ("sessions.undo",)
"""The screen reads keys raw, so that this one isn't swallowed by the shell."""


def test_the_screens_are_found() -> None:
    names = {found.__name__ for found in OURS}
    assert {"ChatApp", "ChatScreen", "Prompt", "TurnMark", "SessionsScreen", "HelpScreen"} <= names


@pytest.mark.parametrize("found", OURS, ids=lambda found: found.__name__)
def test_every_binding_can_be_remapped_and_pressed(found: type[DOMNode]) -> None:
    """Keys are remapped by id; Ctrl+M is Enter, Ctrl+I is Tab."""
    for binding in found.BINDINGS:
        assert isinstance(binding, Binding)
        assert binding.id, binding
        assert meaning(binding), binding
        for key in binding.key.split(","):
            assert read_keys(key) == [key.strip()]
            assert key not in ("ctrl+m", "ctrl+i")


def test_no_action_hangs_on_a_key_that_does_not_arrive() -> None:
    """tmux takes Ctrl+B, the shell Ctrl+Z, ssh the tilde."""
    for bound in key_table().values():
        assert bound.id in _UNDO or set(bound.keys) - SWALLOWED, bound.id


def test_no_two_actions_share_a_key_from_the_start() -> None:
    table = list(key_table().values())
    for place, bound in enumerate(table):
        for other in table[:place]:
            assert not (bound.meets(other) and set(bound.keys) & set(other.keys)), (bound, other)


def test_every_meaning_is_of_a_key() -> None:
    assert MEANINGS.keys() <= key_table().keys()


def test_the_prompt_sends_by_the_keys_that_it_binds() -> None:
    """It reads them itself, before bindings are looked up."""
    prompt = Prompt()
    bound = [key for each in Prompt.BINDINGS for key in each.key.split(",")]
    assert set(prompt._actions) == set(bound)
