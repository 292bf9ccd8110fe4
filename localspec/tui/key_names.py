"""Keys as the config writes them and the screen shows them."""

from __future__ import annotations

from textual.binding import Binding
from textual.keys import REPLACED_KEYS, Keys, key_to_character

from localspec.errors import UsageError

_MODIFIERS = {"ctrl", "alt", "shift", "super", "meta", "hyper"}
_NAMED = {key.value for key in Keys if "+" not in key.value and key.value.isidentifier()}
_SAME = {
    "ctrl+m": "Enter",
    "ctrl+i": "Tab",
    "ctrl+h": "Backspace in many terminals",
    "ctrl+left_square_bracket": "Escape",
}
"""What a terminal sends for them is another key's."""
_OTHER_NAMES = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown"}


def read_keys(text: str) -> list[str]:
    """The keys of a list with commas. Raises UsageError for one that can't be pressed."""
    keys = [_read_key(part.strip()) for part in text.split(",") if part.strip()]
    if not keys:
        raise UsageError("it names no key")
    return list(dict.fromkeys(keys))


def shown(keys: list[str]) -> str:
    return ", ".join(key.replace("escape", "esc") for key in keys)


def is_typed(key: str) -> bool:
    """Whether it writes a character into a text."""
    # Names such as "escape" are those of characters that are not written.
    return (_character(key) or "\n").isprintable()


def _read_key(text: str) -> str:
    *modifiers, name = text.lower().split("+") if len(text) > 1 else [text]
    name = _OTHER_NAMES.get(name, name)
    if len(name) == 1:
        name = next(iter(Binding.make_bindings([Binding(name, "")]))).key
    key = "+".join([*(each for each in sorted(modifiers)), name])
    if not set(modifiers) <= _MODIFIERS or not (name in _NAMED or _character(name)):
        raise UsageError(f"there is no key {text[:40]}")
    if key in _SAME:
        raise UsageError(f"{text} is {_SAME[key]}")
    return key


def _character(key: str) -> str | None:
    return key_to_character(REPLACED_KEYS.get(key, key))
