"""The JSON form: everything, so that importing it loses nothing."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from localspec.chat.events import Message
from localspec.chat.exchange.exported import Exported
from localspec.chat.tree import Node, Tree, linear

_FORMAT = "localspec conversation"


class _Turn(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "user", "assistant"]
    content: str
    after: int | None = Field(default=None, ge=1)
    """The number of the turn before it, counted from 1; None at the beginning."""
    system: str = ""
    stats: dict[str, Any] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    format: str = ""
    version: Literal[1] = 1
    title: str = ""
    model: str = ""
    updated_at: AwareDatetime | None = None
    shown: int | None = Field(default=None, ge=1)
    """The turn that the conversation stands at; None before the first one."""
    messages: list[_Turn]


def write(talk: Exported) -> str:
    numbers: dict[Node | None, int | None] = {None: None}
    turns = []
    for number, node in enumerate(talk.tree, start=1):
        numbers[node] = number
        turn: dict[str, Any] = {"role": node.role, "content": node.content}
        turn["after"] = numbers[node.parent]
        if node.system:
            turn["system"] = node.system
        if node.stats is not None:
            turn["stats"] = node.stats
        turns.append(turn)
    file = {
        "format": _FORMAT,
        "version": 1,
        "title": talk.title,
        "model": talk.model,
        "updated_at": talk.updated_at.isoformat(),
        "shown": numbers[talk.tree.head],
        "messages": turns,
    }
    return json.dumps(file, ensure_ascii=False, indent=1) + "\n"


def read(text: str, now: datetime) -> Exported:
    """Raises ValueError. A plain list of messages, as other programs write it, will do, too."""
    fields = json.loads(text)
    file = _File.model_validate({"messages": fields} if isinstance(fields, list) else fields)
    tree = _tree(file) if file.format == _FORMAT else _plain(file)
    if not tree.first:
        raise ValueError("it has no messages")
    return Exported(file.title, file.model, file.updated_at or now, tree)


def _plain(file: _File) -> Tree:
    return linear([Message(turn.role, turn.content) for turn in file.messages])


def _tree(file: _File) -> Tree:
    tree, nodes = Tree(), list[Node]()
    for number, turn in enumerate(file.messages, start=1):
        if turn.role == "system":
            raise ValueError(f"message {number} has the role system, which belongs to a question")
        if turn.after is not None and turn.after >= number:
            raise ValueError(f"message {number} comes before the one it follows")
        parent = nodes[turn.after - 1] if turn.after else None
        node = Node(turn.role, turn.content, parent, turn.system, turn.stats)
        nodes.append(tree.add(node))
    if file.shown is not None and file.shown > len(nodes):
        raise ValueError(f"there is no message {file.shown} to stand at")
    tree.head = nodes[file.shown - 1] if file.shown else None
    return tree
