"""What a context's memory can do, found out by trying: flags of architectures are not enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import llama_cpp

from localspec.llama.checkpoints import Checkpoints, state_bytes

MemoryKind = Literal["cut", "snapshots", "checkpoints", "none"]

SNAPSHOT_BYTES = CHECKPOINT_BYTES = 256_000_000
"""Most memory for either; a state is 1 to 150 MB."""
_MAX_KEPT = 4
"""Two turns: the end of each prompt and of each reply."""
_WINDOW_PAD = 256
_CELL_BYTES = 12
"""What a saved token costs beside its keys and values."""


@dataclass(frozen=True, slots=True)
class MemoryTraits:
    """How a context goes back to fewer tokens."""

    kind: MemoryKind
    """Exact cuts; cuts within the last batch; saved states; or only from the start."""
    reason: str = ""
    """Why it can't be cut exactly, as a part of a sentence; empty if it can."""
    state_bytes: int = 0
    """Of one saved state."""
    num_snapshots: int = 0
    """Tokens of the last batch that can be cut."""
    window_bytes: int = 0
    """What sliding-window layers take beyond their window, so that cuts are exact."""

    @property
    def num_kept(self) -> int:
        """States that are kept for later turns, beside the latest mark."""
        if self.state_bytes == 0:
            return 0
        return max(1, min(_MAX_KEPT, CHECKPOINT_BYTES // self.state_bytes - 1))

    @property
    def extra_bytes(self) -> int:
        """Most memory that going back costs, in bytes: windows, snapshots and saved states."""
        saved = self.num_kept + (self.kind == "checkpoints")
        return self.window_bytes + self.state_bytes * (self.num_snapshots + saved)

    @property
    def notice(self) -> str:
        """A sentence about that memory; empty if there is none."""
        size = f"{self.extra_bytes / 1e6:,.0f} MB"
        if self.kind == "cut":
            what = "The sliding-window layers keep the whole context, so that drafts can be undone"
            return f"{what}: {size} more." if self.window_bytes else ""
        return f"Going back in this model's memory takes up to {size}: {self.reason}."


Read = Callable[[int, int], None]
"""(start, count): decode `count` tokens from position `start`. Raises NativeFailure."""


def look(context: Any, window: int, read: Read) -> MemoryTraits:
    """Try cuts and saves on an empty context, and leave it empty.

    `window` is the model's sliding window in tokens, 0 if it has none.
    """
    memory = llama_cpp.llama_get_memory(context)
    if not memory:
        return MemoryTraits("none", "this kind of model has no memory of the text")
    try:
        return _look(context, memory, window, read)
    finally:
        llama_cpp.llama_memory_clear(memory, False)


def _look(context: Any, memory: Any, window: int, read: Read) -> MemoryTraits:
    read(0, 2)
    size = state_bytes(context)
    removed = bool(llama_cpp.llama_memory_seq_rm(memory, 0, 1, -1))
    num_snapshots = int(llama_cpp.llama_n_rs_seq(context))
    if removed and num_snapshots == 0:
        a_token = size - state_bytes(context) - _CELL_BYTES
        return MemoryTraits("cut", window_bytes=_window_bytes(context, window, a_token))
    length = 1 if removed else 2
    read(length, 2)
    saved = size if _can_save(context, memory, length + 2, size, read) else 0
    if removed:
        reason = f"its state can be cut by at most {num_snapshots} tokens"
        return MemoryTraits("snapshots", reason, saved, num_snapshots)
    if saved:
        return MemoryTraits("checkpoints", "its state can't be cut, only saved and restored", saved)
    return MemoryTraits("none", "this model's memory can't be cut back after a rejected draft")


def _can_save(context: Any, memory: Any, length: int, size: int, read: Read) -> bool:
    """Whether a state of `size` bytes, whatever the length, brings the sequence back."""
    if size == 0 or state_bytes(context) != size:
        # A state that grows with the text is a cache: copying it would cost more than reading.
        return False
    checkpoints = Checkpoints(context, size, 0)
    checkpoints.mark(length)
    read(length, 1)
    return (
        checkpoints.restore(length)
        and bool(llama_cpp.llama_memory_seq_rm(memory, 0, length, -1))
        and int(llama_cpp.llama_memory_seq_pos_max(memory, 0)) == length - 1
    )


def _window_bytes(context: Any, window: int, a_token: int) -> int:
    """What a full cache of `a_token` bytes a token takes beyond one of the window's size."""
    if window <= 0:
        return 0
    windowed = window + int(llama_cpp.llama_n_ubatch(context))
    windowed = (windowed + _WINDOW_PAD - 1) // _WINDOW_PAD * _WINDOW_PAD
    return a_token * max(0, int(llama_cpp.llama_n_ctx(context)) - windowed)
