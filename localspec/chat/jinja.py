"""Jinja for chat templates out of model files: untrusted programs that write a prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from jinja2 import Template, TemplateError
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_CHARS = 32_000_000
"""A longer prompt fits no context."""
MAX_STEPS = 1_000_000
"""Numbers that the ranges of one rendering may count; more is an endless loop."""


def compile_template(source: str) -> Template:
    """Raises jinja2's TemplateError when the source is not a template."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, GenerationTag]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = _strftime_now
    return environment.from_string(source)


def render_template(template: Template, **variables: Any) -> str:
    """Whatever the template raises goes through; SecurityError when it doesn't come to an end."""
    chunks: list[str] = []
    num_chars = 0
    for chunk in template.generate(range=_counted_range(), **variables):
        chunks.append(chunk)
        num_chars += len(chunk)
        if num_chars > MAX_CHARS:
            raise SecurityError("it writes without an end")
    return "".join(chunks)


class GenerationTag(Extension):
    """`{% generation %}` marks a reply for training; here its body is just rendered."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    # Jinja's own filter escapes <, > and & for HTML pages.
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _raise_exception(message: str) -> None:
    raise TemplateError(message)


def _strftime_now(pattern: str) -> str:
    return datetime.now().strftime(pattern)


def _counted_range() -> Callable[..., range]:
    """The sandbox limits one range, but not loops inside loops."""
    left = MAX_STEPS

    def counted(*bounds: int) -> range:
        nonlocal left
        numbers = range(*bounds)
        left -= len(numbers)
        if left < 0:
            raise SecurityError("it loops without an end")
        return numbers

    return counted
