"""From messages to a prompt, by the chat template in the target's file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property

from jinja2 import Template, TemplateError

from localspec.chat.control_text import control_texts
from localspec.chat.events import Message
from localspec.chat.interface import Tokenizer
from localspec.chat.jinja import compile_template, render_template
from localspec.chat.thinking import TAGS, left_open
from localspec.chat.turns import folded, merged
from localspec.errors import TemplateFailed

_PRIVATE_USE = range(0xE000, 0xF900)


class ChatTemplate:
    """Compiled at its first use, so that a bad template never keeps a model from loading."""

    def __init__(self, source: str, bos_text: str, eos_text: str) -> None:
        self._source = source
        self._bos_text = bos_text
        self._eos_text = eos_text

    @property
    def missing(self) -> bool:
        """The file has none: it is probably not a chat model, and just continues the text."""
        return not self._source.strip()

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt's text, ready for the assistant's turn. Raises TemplateFailed.

        Same-role neighbours are merged, and a system turn that the template refuses or leaves out
        becomes part of the first user turn. Without a template: the contents, a line break between.
        """
        if self.missing:
            return "\n".join(message.content for message in messages)
        turns = merged(messages)
        if not any(turn.role == "system" for turn in turns):
            return self._render(turns)
        try:
            text = self._render(turns)
        except TemplateFailed:
            return self._render(folded(turns))
        return self._render(folded(turns)) if self._drops_system(turns, text) else text

    def encode(self, messages: Sequence[Message], tokenizer: Tokenizer) -> list[int]:
        """The prompt's ids. Control tokens come from the template, never from a message. After a
        reply as the last message the prompt stands at that reply's end.

        Raises TemplateFailed.
        """
        if messages and messages[-1].role == "assistant":
            asked = self.encode(messages[:-1], tokenizer)
            return asked + _begun(messages[-1].content, tokenizer)
        if self.missing:
            return tokenizer.tokenize(self.render(messages), special=False, begin=True)
        contents = [message.content for message in messages]
        quoted = control_texts(contents, tokenizer)
        if not quoted:
            return self._tokenize([self.render(messages)], tokenizer)
        # A mark on both sides of each quoted control token survives whatever the template does
        # with the content, and shows where to cut the rendered text.
        mark = _unused_character(self._source + "".join(contents))
        pattern = "(" + "|".join(map(re.escape, quoted)) + ")"
        marked = [
            replace(message, content=re.sub(pattern, rf"{mark}\1{mark}", message.content))
            for message in messages
        ]
        parts = re.split(mark + pattern + mark, self.render(marked))
        return self._tokenize([part.replace(mark, "") for part in parts], tokenizer)

    def opens_thinking(self, messages: Sequence[Message], tokenizer: Tokenizer) -> str:
        """The tag of thinking that the prompt leaves open, so that the reply begins inside; empty
        without one. What a message says about such tags means nothing. Raises TemplateFailed.
        """
        if messages and messages[-1].role == "assistant":
            messages = messages[:-1]
        if self.missing or not messages or not left_open(self.render(messages)):
            return ""
        mark = _unused_character(self._source + "".join(each.content for each in messages))
        last = replace(messages[-1], content=messages[-1].content + mark)
        _, found, end = self.render([*messages[:-1], last]).rpartition(mark)
        tag = left_open(end) if found else ""
        # A closing tag without text would never be seen.
        closing = tokenizer.tokenize(TAGS[tag], special=True) if tag else []
        visible = b"".join(map(tokenizer.token_bytes, closing)).decode("utf-8", "replace")
        return tag if tag and TAGS[tag] in visible else ""

    def _tokenize(self, parts: list[str], tokenizer: Tokenizer) -> list[int]:
        """Every second part is a message's, the others are the template's."""
        # The template's own BOS and the tokenizer's would make two.
        begin = not (self._bos_text and parts[0].startswith(self._bos_text))
        ids = tokenizer.tokenize(parts[0], special=True, begin=begin)
        for index, part in enumerate(parts[1:], start=1):
            if part:
                ids += tokenizer.tokenize(part, special=index % 2 == 0)
        return ids

    def _drops_system(self, turns: list[Message], text: str) -> bool:
        if all(turn.content.strip() in text for turn in turns if turn.role == "system"):
            return False
        # The template may have rewritten it: ask with a text that nothing rewrites.
        probe = _unused_character(text)
        probed = [replace(turn, content=probe) if turn.role == "system" else turn for turn in turns]
        return probe not in self._render(probed)

    def _render(self, turns: list[Message]) -> str:
        try:
            return render_template(
                self._template,
                messages=[asdict(turn) for turn in turns],
                add_generation_prompt=True,
                bos_token=self._bos_text,
                eos_token=self._eos_text,
            )
        except TemplateFailed:
            raise
        except TemplateError as error:
            raise _failed("refused the conversation", error) from error
        except Exception as error:
            raise _failed(f"failed with {type(error).__name__}", error) from error

    @cached_property
    def _template(self) -> Template:
        try:
            return compile_template(self._source)
        except Exception as error:
            raise _failed("can't be read", error) from error


def _failed(what: str, error: Exception) -> TemplateFailed:
    reason = " ".join(str(error).split())
    hint = "With --raw the prompt is sent without the template."
    return TemplateFailed(f"The model's chat template {what}: {reason.rstrip('.')}.", hint)


def _begun(reply: str, tokenizer: Tokenizer) -> list[int]:
    """Ids of the text that a reply has so far."""
    ids = tokenizer.tokenize(reply, special=False)
    said = b"".join(map(tokenizer.token_bytes, ids))
    if said != b" " + reply.encode("utf-8", "replace"):
        return ids
    # This tokenizer puts a space before every text; in the middle of one there is none.
    if reply.startswith(" "):
        return tokenizer.tokenize(reply[1:], special=False)
    return ids[1:] if tokenizer.token_bytes(ids[0]) == b" " else ids


def _unused_character(text: str) -> str:
    return next(chr(code) for code in _PRIVATE_USE if chr(code) not in text)
