"""What `run` was asked: which words are the model, which the prompt, and what stdin adds."""

from __future__ import annotations

import os
import select
import shlex
import stat
import sys
from collections.abc import Iterable

from localspec.errors import UsageError

_STDIN_WAIT_S = 0.5
"""A pipe that stays silent this long beside a given prompt has nothing to say."""


def split(model: str | None, prompt: str | None, option: str | None) -> tuple[str | None, str]:
    """(model or None for the default, prompt). Raises UsageError, UnknownModel."""
    from localspec.models import store

    if model is not None and not store.is_known(model):
        # Words can be a prompt; one word that names no model is a mistyped name.
        if prompt is not None or len(model.split()) < 2:
            refusal = store.unknown(model)
            if prompt is None:
                refusal.hint += f" If it is a prompt: localspec run -p {shlex.quote(model)}."
            raise refusal
        model, prompt = None, model
    if prompt is not None and option is not None:
        raise UsageError("The prompt was given twice.", "Use PROMPT or -p, not both.")
    given = option if option is not None else prompt
    piped = _read_stdin(given is not None)
    text = "\n\n".join(part for part in (given, piped) if part)
    if not text.strip():
        raise UsageError(
            "The prompt is empty." if given is not None else "There is no prompt.",
            'Give one: localspec run -p "…", or pipe it in. `localspec chat` opens the screen.',
        )
    return model, text


def with_files(text: str, paths: Iterable[str]) -> str:
    """The prompt with these files behind it. Raises UsageError."""
    from localspec.chat.attachment import attached, read_text

    for path in paths:
        text = attached(text, path, read_text(path))
    return text


def _read_stdin(has_prompt: bool) -> str:
    """Piped text; nothing from a terminal, or from a pipe that is only left open."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return ""
    if has_prompt and not _has_something():
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip("\n")


def _has_something() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
        if stat.S_ISREG(mode):
            return True
        if os.name == "nt":
            return stat.S_ISFIFO(mode)
        return bool(select.select([sys.stdin], [], [], _STDIN_WAIT_S)[0])
    except (OSError, ValueError):
        return False
