"""What the argument of a command may become."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from localspec.models import catalog, records
from localspec.settings import SpecMode
from localspec.tui import presets
from localspec.tui.choices import Choice, Choices, matching
from localspec.tui.mentions import quoted, unquoted
from localspec.tui.path_choices import path_choices
from localspec.tui.themes import PREFIX, load_themes

_SPEC = {
    "auto": "every source, where it pays",
    "off": "plain decoding",
    "draft": "the draft model alone",
    "suffix": "what was said before",
    "predicted": "code blocks and the files of /predict",
}
_XRAY = {
    "on": "every token marked",
    "rejected": "rejected drafts too",
    "off": "marks in the newest lines only",
}
_OFF = Choice("off", "off", "takes it back")


def _models() -> list[Choice]:
    here = [record.name for record in records.load_all()]
    others = sorted(pair.name for pair in catalog.pairs() if pair.name not in here)
    known = [Choice(name, name, "on this disk") for name in here]
    return known + [Choice(name, name, "to be pulled") for name in others]


def _themes() -> list[Choice]:
    names = [theme.name.removeprefix(PREFIX) for theme in load_themes().loaded]
    return [Choice(name, name) for name in names]


def _presets() -> list[Choice]:
    names = presets.names()
    verbs = [Choice("save ", "save NAME", "keeps the settings in force")]
    verbs += [Choice(f"delete {name}", f"delete {name}") for name in names]
    return [Choice(name, name) for name in names] + verbs


def _modes() -> list[Choice]:
    return [Choice(mode, mode, _SPEC.get(mode, "")) for mode in get_args(SpecMode)]


def _markings() -> list[Choice]:
    return [Choice(mode, mode, meaning) for mode, meaning in _XRAY.items()]


_LISTS: dict[str, Callable[[], list[Choice]]] = {
    "model": _models,
    "theme": _themes,
    "spec": _modes,
    "preset": _presets,
    "xray": _markings,
    "k": lambda: [Choice("auto", "auto", "localspec decides")],
    "system": lambda: [Choice("off", "off", "no system prompt")],
}
_PATHS = ("file", "predict", "save", "export", "import")
TAKEN_BACK = ("file", "predict")


def argument_choices(command: str, written: str) -> Choices:
    """Blocks: names come from files. Nothing for a command that takes anything, or nothing."""
    if command in _PATHS:
        found = path_choices(written, lambda path, _: path)
        if command in TAKEN_BACK and written and "off".startswith(written):
            return Choices((_OFF, *found.choices), found.are_all)
        return found
    return matching(written, _LISTS[command]()) if command in _LISTS else Choices()


def file_choices(written: str) -> Choices:
    """Behind an @. Blocks."""
    return path_choices(unquoted(written), lambda path, folder: quoted(path, not folder))
