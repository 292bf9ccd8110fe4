"""The command's first moments, before it can handle anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send")
@pytest.mark.parametrize("module", ["typer", "localspec.cli.main"])
def test_ctrl_c_in_the_middle_of_the_imports_is_quiet(tmp_path: Path, module: str) -> None:
    """It showed a traceback of whatever was just being imported."""
    script = (
        "import os, signal, sys, time\n"
        "class Presses:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT); time.sleep(10)\n"
        "sys.meta_path.insert(0, Presses())\n"
        "from localspec.__main__ import main\n"
        "sys.argv = ['localspec', '--version']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send")
def test_ctrl_c_in_a_command_is_one_word() -> None:
    script = (
        "import os, signal, sys\n"
        "from localspec.cli import locate\n"
        "locate._path = lambda place: os.kill(os.getpid(), signal.SIGINT)\n"
        "from localspec.__main__ import main\n"
        "sys.argv = ['localspec', 'locate']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "localspec: interrupted\n")


def test_a_width_that_no_terminal_has_is_bounded() -> None:
    """COLUMNS=99999999 took seconds and gigabytes to fill with lines and spaces."""
    environment = os.environ | {"COLUMNS": "99999999", "LINES": "9" * 400}
    done = subprocess.run(
        [sys.executable, "-m", "localspec", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 1000
