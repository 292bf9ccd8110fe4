"""A conversation as it stands in the list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

LISTED = """
SELECT id, model, updated_at, title,
    (SELECT count(*) FROM message WHERE conversation_id = conversation.id) AS num_messages,
    (SELECT substr(content, 1, 1000) FROM message
        WHERE conversation_id = conversation.id AND role = 'user' ORDER BY id LIMIT 1)
FROM conversation WHERE num_messages > 0 AND deleted_at IS NULL
"""
_TITLE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation in the list."""

    id: int
    title: str
    """As given, or else the first line of the first question; shortened."""
    model: str
    updated_at: datetime
    num_messages: int
    given_title: str = ""
    found: str = ""
    """Where the searched text stands, when it was searched for."""


def listed(row: tuple[Any, ...], found: str = "") -> Conversation:
    """From a row of `LISTED`."""
    id_, model, at, title, num_messages, question = row
    updated_at = datetime.fromtimestamp(at, UTC)
    shown = _title(title or question)
    return Conversation(id_, shown, model, updated_at, num_messages, title, found)


def _title(text: str | None) -> str:
    lines = (text or "").strip().splitlines()
    words = " ".join(lines[0].split()) if lines else ""
    return words if len(words) <= _TITLE_LENGTH else words[: _TITLE_LENGTH - 1].rstrip() + "…"
