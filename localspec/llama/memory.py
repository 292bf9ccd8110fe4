"""The memory of a context: cutting it, and going back where it can't be cut.

llama.cpp refuses to cut a recurrent state, and says yes to some cuts that leave a stale one: with
snapshots only those that the last decode wrote are fresh. So what it says is never all that counts.
"""

from __future__ import annotations

from typing import Any

import llama_cpp

from localspec.errors import NativeFailure
from localspec.llama.checkpoints import Checkpoints
from localspec.llama.memory_traits import MemoryTraits


class Memory:
    """How many tokens the context remembers, and how to remember fewer. One sequence."""

    def __init__(self, context: Any, traits: MemoryTraits) -> None:
        """`context` must be empty."""
        self.traits = traits
        self.length = 0
        """Tokens that the next decode continues."""
        self.checkpoints = Checkpoints(context, traits.state_bytes, traits.num_kept)
        self._memory = llama_cpp.llama_get_memory(context)
        self._held = 0
        """Tokens in llama.cpp's memory: more than `length` while a cut is put off."""
        self._fresh = 0
        """How many of the latest tokens can be cut: older snapshots are stale."""
        self._reading = True
        """Whether the last decode asked for no logits: a prompt, not a reply."""

    def prepare(self, num_logits: int) -> None:
        """Before a decode. Raises NativeFailure if llama.cpp refuses a cut that it must know."""
        if self.traits.kind == "cut":
            return
        self._make_cut()
        reading = num_logits == 0
        if reading != self._reading and self.length > 0 and self.traits.num_kept > 0:
            # The ends of prompts and replies are where regenerate and edit go back to.
            self.checkpoints.keep(self.length)
        self._reading = reading

    def grow(self, num_tokens: int) -> None:
        """After a decode of `num_tokens` tokens that went well."""
        self.length += num_tokens
        self._held = self.length
        self._fresh = min(num_tokens - 1, self.traits.num_snapshots)

    def mark(self) -> None:
        """Remember the present length as one that `rollback` will want; costs a copy of the
        state, and nothing where the memory can be cut."""
        if self.traits.kind == "checkpoints" and self.length > 0:
            self.checkpoints.mark(self.length)

    def rollback(self, n_past: int) -> None:
        """Go back to the longest length of at most `n_past` tokens that can be restored."""
        if n_past == self.length:
            return
        if n_past == 0:
            self.clear()
        elif self.traits.kind == "cut":
            self._cut_or_clear(n_past)
        elif self._held - n_past <= self._fresh:
            # llama.cpp takes one cut a decode, so it hears only of the deepest. Every saved place
            # lies before the last batch, and stays true.
            self.length = n_past
        else:
            self._restore(n_past)

    def recover(self) -> None:
        """After a decode that failed: a part of its batch may be in the memory."""
        if self.traits.kind == "cut":
            self._cut_or_clear(self.length)
        else:
            # A state that was half moved on can't be told from a whole one.
            self._restore(self.length)

    def clear(self) -> None:
        """Forget everything, the places to go back to as well."""
        llama_cpp.llama_memory_clear(self._memory, False)
        self.checkpoints.drop_beyond(0)
        self.length = self._held = self._fresh = 0
        self._reading = True

    def _cut_or_clear(self, n_past: int) -> None:
        if self._cut(n_past):
            self.length = self._held = n_past
        else:
            self.clear()

    def _make_cut(self) -> None:
        if self._held == self.length:
            return
        if not self._cut(self.length):
            self._restore(self.length)
            raise NativeFailure("llama.cpp refused to cut its memory back after a rejected draft.")
        self._held = self.length
        self._fresh = 0

    def _restore(self, n_past: int) -> None:
        length = self.checkpoints.latest(n_past)
        self.checkpoints.drop_beyond(length)
        # The state first: the attention part of a hybrid can be cut only to where the state is.
        if length == 0 or not self.checkpoints.restore(length) or not self._cut(length):
            self.clear()
            return
        self.length = self._held = length
        self._fresh = 0

    def _cut(self, n_past: int) -> bool:
        """Whether the memory ends up with `n_past` tokens."""
        removed = llama_cpp.llama_memory_seq_rm(self._memory, 0, n_past, -1)
        if not removed or self.traits.kind == "cut":
            return bool(removed)
        return int(llama_cpp.llama_memory_seq_pos_max(self._memory, 0)) == n_past - 1
