"""The chat by lines on a scripted backend, its lines from a pipe."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from localspec.chat.history import History
from localspec.errors import UnknownModel
from localspec.settings import load_settings
from localspec.tui.plain.chat import PlainChat
from tests.tui.scripted import ScriptedBackend

Talk = Callable[..., str]


@pytest.fixture
def talk(
    history: History,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Talk:
    """What is written when these lines come from a pipe."""
    monkeypatch.chdir(tmp_path)

    def talk(
        backend: ScriptedBackend,
        *lines: str,
        conversation: int | None = None,
        return_code: int | None = None,
        **flags: Any,
    ) -> str:
        def make_backend(name: str, ctx: int | None = None) -> ScriptedBackend:
            if name != "pair":
                raise UnknownModel(f'No model is called "{name}".')
            return backend

        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        chat = PlainChat(
            make_backend, "pair", history, load_settings(**flags), conversation, lambda: 100.0
        )
        chat.run()
        assert backend.closed
        assert return_code in (None, chat.return_code)
        return capsys.readouterr().out

    return talk
