"""`localspec chat` before there is a screen: refusals in one line, and what reaches the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from localspec import paths
from localspec.backends.interface import Backend
from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.cli import chat as command
from localspec.cli import main, starter
from localspec.errors import LocalspecError, UnknownModel
from localspec.settings import Settings
from localspec.tui import app
from localspec.tui.handed import Handed


@pytest.mark.parametrize("args", [[], ["chat"], ["chat", "--resume"]])
def test_without_a_terminal_it_points_to_run_and_never_imports_textual(args: list[str]) -> None:
    script = (
        "import sys; from localspec.cli.main import main\n"
        "try: main()\n"
        "finally: assert 'textual' not in sys.modules and 'llama_cpp' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=os.environ,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        'localspec: The chat screen needs a terminal. Use `localspec run -p "…"`, or `localspec '
        "chat --plain` to chat by lines.\n"
    )


class Screen:
    """In the place of the screen: keeps what it was given."""

    opened: list[dict[str, Any]] = []
    return_code: int | None = 0
    conversation: int | None = None
    unfinished_pull: str = ""

    def __init__(
        self,
        make_backend: Any,
        model: str,
        history: History,
        settings: Settings,
        conversation: int | None,
        handed: Handed,
    ) -> None:
        self.opened.append(locals() | {"make_backend": staticmethod(make_backend)})

    def run(self) -> None: ...


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> type[Screen]:
    monkeypatch.setattr(command, "_need_terminal", lambda: None)
    monkeypatch.setattr(starter, "ensure_model", lambda settings, assume_yes: settings.model)
    monkeypatch.setattr(app, "ChatApp", Screen)
    Screen.opened.clear()
    return Screen


def localspec(monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    monkeypatch.setattr(sys, "argv", ["localspec", *args])
    with pytest.raises(SystemExit) as ended:
        main.main()
    return int(ended.value.code or 0)


def test_bare_localspec_opens_the_screen(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    assert localspec(monkeypatch) == 0
    [opened] = screen.opened
    assert opened["model"] == Settings().model
    assert opened["conversation"] is None


def test_flags_reach_the_screen(monkeypatch: pytest.MonkeyPatch, screen: type[Screen]) -> None:
    flags = "--spec suffix --num-draft-tokens 5 --temp 0 --system Brief. --ctx 512 --theme nord"
    assert localspec(monkeypatch, "chat", "mine", *flags.split()) == 0
    [opened] = screen.opened
    settings = opened["settings"]
    assert opened["model"] == "mine"
    assert (settings.spec, settings.num_draft_tokens, settings.temperature) == ("suffix", 5, 0)
    assert (settings.system, settings.ctx, settings.theme) == ("Brief.", 512, "nord")


def test_predicted_files_are_read_before_the_screen_opens(
    monkeypatch: pytest.MonkeyPatch,
    screen: type[Screen],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a").write_text("the reply")
    assert localspec(monkeypatch, "chat", "--predict", str(tmp_path / "a")) == 0
    assert screen.opened[0]["handed"].take_predicted() == ("the reply",)
    assert localspec(monkeypatch, "chat", "--predict", str(tmp_path)) == 2
    assert "is a directory" in capsys.readouterr().err
    assert len(screen.opened) == 1


def test_options_of_the_sampler_reach_the_screen(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    flags = "--repeat-penalty 1.2 --repeat-last-n -1 --logit-bias 5=-inf --json-schema {}"
    assert localspec(monkeypatch, "chat", "mine", *flags.split()) == 0
    settings = screen.opened[0]["settings"]
    assert (settings.repeat_penalty, settings.repeat_last_n) == (1.2, -1)
    assert (settings.logit_bias, settings.json_schema) == (((5, float("-inf")),), "{}")
    assert localspec(monkeypatch, "chat", "mine", "--logit-bias", "5=nan") == 2
    assert len(screen.opened) == 1


def test_resume_takes_the_latest_conversation_and_its_model(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    history = History(paths.history_file())
    conversation = history.start("its-model")
    history.append(conversation, Message("user", "hi"))
    history.close()
    assert localspec(monkeypatch, "chat", "--resume") == 0
    assert localspec(monkeypatch, "chat", "other", "--resume") == 0
    assert [opened["conversation"] for opened in screen.opened] == [conversation] * 2
    assert [opened["model"] for opened in screen.opened] == ["its-model", "other"]


def test_resume_takes_a_conversation_by_its_number(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen], capsys: pytest.CaptureFixture[str]
) -> None:
    history = History(paths.history_file())
    older, newer = history.start("its-model"), history.start("pair")
    for conversation in (older, newer):
        history.append(conversation, Message("user", "hi"))
    history.close()
    assert localspec(monkeypatch, "chat", "--resume", str(older)) == 0
    [opened] = screen.opened
    assert (opened["conversation"], opened["model"]) == (older, "its-model")
    for number in ("99", "9" * 5000):
        assert localspec(monkeypatch, "chat", "-r", number) == 1
        assert "There is no conversation 99" in capsys.readouterr().err
    assert len(screen.opened) == 1


def test_a_conversation_of_no_model_is_resumed_with_the_default_one(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    history = History(paths.history_file())
    history.append(history.start(""), Message("user", "hi"))
    history.close()
    assert localspec(monkeypatch, "chat", "--resume") == 0
    assert screen.opened[0]["model"] == Settings().model


def test_what_resume_would_open_is_said_at_the_end(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing told that a conversation can be taken up again."""
    history = History(paths.history_file())
    older, newer = (history.start("pair") for _ in range(2))
    for conversation in (older, newer):
        history.append(conversation, Message("user", "hi"))
    history.close()
    for shown, said in ((None, ""), (older, f" {older}"), (newer, "")):
        monkeypatch.setattr(screen, "conversation", shown)
        assert localspec(monkeypatch) == 0
        out = capsys.readouterr().out
        assert (f"`localspec chat --resume{said}` continues" in out) is (shown is not None)


def test_how_a_pull_goes_on_is_said_at_the_end(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screen, "unfinished_pull", "llama3-70b")
    assert localspec(monkeypatch) == 0
    assert "`localspec pull llama3-70b` goes on where this left off." in capsys.readouterr().out


def test_a_screen_that_never_came_to_an_end_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    """Textual leaves no return code after a panic, which was taken for success."""
    monkeypatch.setattr(screen, "return_code", None)
    assert localspec(monkeypatch) == 1


def test_a_history_that_cannot_be_opened_only_stops_resume(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen], capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory in the place of the history stopped every chat."""
    paths.history_file().mkdir(parents=True)
    assert localspec(monkeypatch, "chat", "--resume") == 1
    assert "can't be opened" in capsys.readouterr().err
    assert localspec(monkeypatch) == 0
    [opened] = screen.opened
    assert opened["history"].notice.startswith("This conversation is not saved.")


def test_nothing_to_resume_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen], capsys: pytest.CaptureFixture[str]
) -> None:
    assert localspec(monkeypatch, "chat", "--resume") == 1
    assert "no conversation to resume yet" in capsys.readouterr().err
    assert not screen.opened


def test_a_value_out_of_range_is_refused_before_the_screen_opens(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    assert localspec(monkeypatch, "chat", "--temp", "11") == 2
    assert not screen.opened


@pytest.mark.usefixtures("tiny_pair")
def test_the_screen_makes_backends_of_known_models_only(
    monkeypatch: pytest.MonkeyPatch, screen: type[Screen]
) -> None:
    localspec(monkeypatch, "chat", "tiny")
    make_backend = screen.opened[0]["make_backend"]
    for options in ({}, {"ctx": 512}):
        backend: Backend = make_backend("tiny", **options)
        backend.close()
    with pytest.raises(UnknownModel):
        make_backend("nowhere")
    with pytest.raises(LocalspecError):
        make_backend("qwen2.5-coder-7b")
