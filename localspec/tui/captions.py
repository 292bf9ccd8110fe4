"""What the backend is doing, in a few words for the title and the status line."""

from __future__ import annotations

from textual.content import Content

from localspec.chat.events import Loading, Ready
from localspec.engine.interface import Prefill
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.status import Activity


def title(ready: Ready) -> Content:
    draft = ready.draft.removesuffix(".gguf")
    # One device that holds both, not split by layers, needs to be named once.
    place = ready.device if ready.device == ready.draft_device else ready.placement
    parts = [ready.name, f"draft {draft}" if draft else "no draft", place]
    return Content(displayable(" · ".join(part for part in parts if part)))


def loading(model: str, event: Loading) -> Activity:
    what = " on ".join(filter(None, (event.model, event.device)))
    name = displayable(f"loading {model} · {what}")
    return Activity(name, event.progress, f"{event.progress:>4.0%}")


def reading(event: Prefill) -> Activity:
    width = len(f"{event.num_total:,}")
    detail = f"{event.num_read:>{width},} / {event.num_total:,}"
    name = "reading the prompt" + (" · draft" if event.model == "draft" else "")
    return Activity(name, event.num_read / (event.num_total or 1), detail)
