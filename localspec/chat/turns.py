"""A conversation brought into the order that strict templates demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from localspec.chat.events import Message


def merged(messages: Sequence[Message]) -> list[Message]:
    """Adjacent turns of one role become one; replies and system prompts without text go."""
    turns: list[Message] = []
    for message in messages:
        if message.role != "user" and not message.content.strip():
            continue
        if turns and turns[-1].role == message.role:
            turns[-1] = replace(message, content=f"{turns[-1].content}\n\n{message.content}")
        else:
            turns.append(message)
    return turns


def folded(messages: Sequence[Message]) -> list[Message]:
    """The system's words at the head of the first user turn."""
    system = [message.content for message in messages if message.role == "system"]
    turns = [message for message in messages if message.role != "system"]
    first = next((i for i, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        return merged([Message("user", "\n\n".join(system)), *turns])
    content = "\n\n".join([*system, turns[first].content])
    turns[first] = Message("user", content)
    return merged(turns)
