"""The first load of a file, in a process of its own: llama.cpp ends the process that loads what it
can't bear."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.backends.interface import LoadRequest


def try_first(request: LoadRequest) -> None:
    """Load what was never loaded here and let it go again. Raises BackendFailure where that ends
    the other process, and for all that a load may fail for."""
    from localspec.backends.worker import WorkerBackend
    from localspec.chat.events import Failed, Loading
    from localspec.cli.render import BackendFailure, StatusLine
    from localspec.models import store

    if store.is_tried(request.name, request.load_draft):
        return
    status = StatusLine()
    try:
        with closing(WorkerBackend(request)) as backend:
            for event in backend.load():
                match event:
                    case Loading():
                        status.show(f"trying the {event.model} {event.progress:4.0%}")
                    case Failed():
                        raise BackendFailure(event)
    finally:
        status.clear()
