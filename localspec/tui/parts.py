"""The widgets of the chat screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual.widgets import Static

from localspec.tui.widgets.command_list import CommandList
from localspec.tui.widgets.hint import Hint
from localspec.tui.widgets.prompt import Prompt
from localspec.tui.widgets.status import StatusLine
from localspec.tui.widgets.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Parts:
    """From top to bottom."""

    title: Static = field(default_factory=lambda: Static(id="title", markup=False))
    pull: Static = field(default_factory=lambda: Static(id="pull", markup=False))
    transcript: Transcript = field(default_factory=Transcript)
    status: StatusLine = field(default_factory=StatusLine)
    hint: Hint = field(default_factory=Hint)
    commands: CommandList = field(default_factory=CommandList)
    prompt: Prompt = field(default_factory=Prompt)
