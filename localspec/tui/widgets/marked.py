"""Text of a reply, token by token, each marked by who proposed it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.selection import Selection
from textual.style import Style
from textual.widget import Widget

from localspec.tui.ink import Stroke
from localspec.tui.marking import Marking, drawn, selected


class Marked(Widget):
    """Plain text: the target's own tokens as they are, drafted ones by colour and by line or
    weight, which every terminal has."""

    COMPONENT_CLASSES = {
        "marked--draft", "marked--suffix", "marked--predicted", "marked--rejected",
        "marked--cursor",
    }  # fmt: skip
    END = ""
    """Drawn behind the last token."""

    def __init__(self, strokes: Sequence[Stroke], marking: Marking) -> None:
        super().__init__()
        self._strokes = strokes
        self._marking = marking
        self._content: Content | None = None

    def show(self, strokes: Sequence[Stroke], marking: Marking) -> None:
        """Draw these instead."""
        if not self.is_attached:
            # The screen is being closed, and the styles are gone already.
            return
        width = self.content_size.width
        before = self._height(width)
        self._strokes, self._marking, self._content = strokes, marking, None
        # A new layout is dear: only when a line was added or taken.
        self.refresh(layout=self._height(width) != before)

    @property
    def plain(self) -> str:
        return self.render().plain

    def render(self) -> Content:
        if self._content is None:
            end = (self.END, self._named("cursor"))
            marked = drawn(self._strokes, self._marking, self._named)
            self._content = Content.assemble(marked, end) if self.END else marked
        return self._content

    def notify_style_update(self) -> None:
        """The colours have changed."""
        self._content = None
        super().notify_style_update()

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        return selected(self._strokes, self._marking, selection), "\n"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height(width)

    def _height(self, width: int) -> int:
        return self.render().get_height(self.styles.get_rules(), width) if width else 0

    def _named(self, name: str) -> Style:
        return self.get_visual_style(f"marked--{name}", partial=True)
