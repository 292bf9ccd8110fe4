"""The Markdown form: the shown branch, to be read, and word for word what it is imported from."""

from __future__ import annotations

import json
import re
from datetime import datetime

from pydantic import AwareDatetime, BaseModel

from localspec.chat.events import Message
from localspec.chat.exchange.exported import Exported
from localspec.chat.tree import linear

_TITLES = {"system": "System prompt", "user": "You", "assistant": "Assistant"}
_HEAD = re.compile(r"<!-- localspec conversation (\{.*\}) -->\n")
_TURN = re.compile(r"^<!-- localspec (system|user|assistant) -->\n## [^\n]*\n\n", re.MULTILINE)
# A line of a message that looks like one of the marks gets a backslash, and loses it again.
_LIKE_MARK = re.compile(r"^(?=\\*<!-- localspec )", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(?=\\*<!-- localspec )", re.MULTILINE)
_END = "\n\n"


class _Facts(BaseModel):
    title: str
    model: str
    updated_at: AwareDatetime


def write(talk: Exported) -> str:
    facts = json.dumps(
        {"title": talk.title, "model": talk.model, "updated_at": talk.updated_at.isoformat()},
        ensure_ascii=False,
    )
    # Nothing in a title ends the comment.
    parts = [f"<!-- localspec conversation {facts.replace('>', chr(92) + 'u003e')} -->\n"]
    system = ""
    for node in talk.tree.path:
        if node.role == "user" and node.system != system:
            system = node.system
            parts.append(_turn("system", system))
        parts.append(_turn(node.role, node.content))
    return "".join(parts)


def _turn(role: str, content: str) -> str:
    head = f"<!-- localspec {role} -->\n## {_TITLES[role]}\n\n"
    return head + _LIKE_MARK.sub(r"\\", content) + _END


def read(text: str, now: datetime) -> Exported:
    """Raises ValueError."""
    if text.partition("\n")[0].endswith("-->\r"):
        # An editor wrote it with the line ends of Windows.
        text = text.replace("\r\n", "\n")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("it is no conversation that localspec exported")
    facts = _Facts.model_validate_json(head[1])
    before, *turns = _TURN.split(text[head.end() :])
    if before.strip():
        raise ValueError("there is text before the first message")
    messages = [
        Message(role, _ESCAPED.sub("", _without_end(content)))  # type: ignore[arg-type]
        for role, content in zip(turns[::2], turns[1::2], strict=True)
    ]
    tree = linear(messages)
    if not tree.path:
        raise ValueError("it has no messages")
    return Exported(facts.title, facts.model, facts.updated_at, tree)


def _without_end(content: str) -> str:
    """Editors leave fewer empty lines at the end of a file."""
    return content.removesuffix(_END) if content.endswith(_END) else content.removesuffix("\n")
