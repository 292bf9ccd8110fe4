"""A conversation with all its versions: every question and every reply may have siblings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from localspec.chat.events import Message


@dataclass(slots=True, eq=False)
class Node:
    """One turn. The same question edited, or the same question's other reply, is a sibling."""

    role: Literal["user", "assistant"]
    content: str
    parent: Node | None = None
    """None for a first question."""
    system: str = ""
    """The system prompt that a question was asked with."""
    stats: dict[str, Any] | None = None
    """A finished reply's numbers; None while it grows."""
    id: int | None = None
    """Its number in the history, once it is there."""
    children: list[Node] = field(default_factory=list)

    @property
    def message(self) -> Message:
        return Message(self.role, self.content)

    @property
    def path(self) -> list[Node]:
        """From the first question to this turn."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    @property
    def newest(self) -> Node:
        """The end of the branch that goes on with the newest version of each turn."""
        node = self
        while node.children:
            node = node.children[-1]
        return node


class Tree:
    """The turns, and the one that the conversation stands at."""

    def __init__(self) -> None:
        self.first: list[Node] = []
        """All versions of the first question."""
        self.head: Node | None = None
        """The last turn of the shown branch; None before the first question."""

    @property
    def path(self) -> list[Node]:
        """The branch that is shown."""
        return self.head.path if self.head else []

    def add(self, node: Node) -> Node:
        """Put it after its parent, and stand there."""
        self.versions(node).append(node)
        self.head = node
        return node

    def remove(self, node: Node) -> None:
        """Take out a turn that has none after it."""
        self.versions(node).remove(node)

    def versions(self, node: Node) -> list[Node]:
        """The oldest first; one of them is the turn itself."""
        return node.parent.children if node.parent else self.first

    def __iter__(self) -> Iterator[Node]:
        """Every turn after its parent; versions in order."""
        waiting = self.first[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def copied(path: Sequence[Node]) -> Tree:
    """A tree of this branch alone, none of it in the history yet."""
    tree = Tree()
    for node in path:
        tree.add(Node(node.role, node.content, tree.head, node.system, node.stats))
    return tree


def linear(messages: Sequence[Message]) -> Tree:
    """A tree of one branch; a system message holds for the questions after it."""
    tree, system = Tree(), ""
    for message in messages:
        if message.role == "system":
            system = message.content
        else:
            asked_with = system if message.role == "user" else ""
            tree.add(Node(message.role, message.content, tree.head, asked_with))
    return tree
