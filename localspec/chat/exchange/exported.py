"""What a file of a conversation has."""

from dataclasses import dataclass
from datetime import datetime

from localspec.chat.tree import Tree


@dataclass(frozen=True, slots=True)
class Exported:
    """A conversation outside of the history."""

    title: str
    """As given by the user; empty when there is none but the first question."""
    model: str
    updated_at: datetime
    tree: Tree
