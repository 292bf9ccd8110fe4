"""The terminal goes away without a signal."""

from __future__ import annotations

import os
from contextlib import closing

import psutil
import pytest

from localspec import paths
from localspec.chat.history import History

pytest.importorskip("fcntl", reason="Windows has no pseudo-terminals")

from tests.tui.test_terminal import Terminal


@pytest.mark.parametrize("args", [("chat",), ("chat", "--plain")], ids=["screen", "plain"])
def test_a_terminal_that_vanishes_ends_the_chat_and_its_child(args: tuple[str, ...]) -> None:
    """The reader of keys spun at 100 % of a core for ever, and the model stayed in memory."""
    with closing(Terminal(*args)) as terminal:
        terminal.until("8,192" if len(args) == 1 else "1 you")
        terminal.type(b"hold\r")
        terminal.until("Echo:")
        children = terminal.children()
        os.close(terminal._master)
        os.close(terminal._slave)
        terminal.process.wait(30)
        _, alive = psutil.wait_procs(children, timeout=10)
        assert not alive
        terminal._master, terminal._slave = os.openpty()
    with closing(History(paths.history_file())) as history:
        [saved] = history.conversations()
        assert [node.content for node in history.tree(saved.id).path] == ["hold", "Echo: 'hold'"]
