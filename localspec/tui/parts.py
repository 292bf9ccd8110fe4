"""The widgets of the chat screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual.widgets import Static

from localspec.tui.widgets.attached_line import AttachedLine
from localspec.tui.widgets.choice_list import ChoiceList
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
    choices: ChoiceList = field(default_factory=ChoiceList)
    attached: AttachedLine = field(default_factory=AttachedLine)
    prompt: Prompt = field(default_factory=Prompt)
