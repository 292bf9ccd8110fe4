"""What is wrong, or could be better, and the command that comes next."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localspec.credentials import redacted

Facts = dict[str, Any]
"""What a probe found, as JSON has it."""


@dataclass(frozen=True, slots=True)
class Finding:
    text: str
    """One sentence."""
    command: str
    """To be typed as it is."""
    is_broken: bool = False
    """Something that localspec needs doesn't work; else a hint."""


Probe = Callable[[], tuple[Facts, list[Finding]]]


def guarded(what: str, probe: Probe) -> tuple[Facts, list[Finding]]:
    """The probe's answer; a probe that fails is a finding, never a failure of the command."""
    try:
        return probe()
    except Exception as error:
        why = redacted(f"{type(error).__name__}: {' '.join(str(error).split())}")
        return {}, [Finding(f"{what} could not be looked at ({why}).", "localspec doctor --json")]


def quoted(*words: str | Path) -> str:
    """A command line for this system's shell."""
    texts = [str(word) for word in words]
    return subprocess.list2cmdline(texts) if sys.platform == "win32" else shlex.join(texts)


def unset(variable: str) -> str:
    return f"set {variable}=" if sys.platform == "win32" else f"unset {variable}"


def edit(path: Path) -> str:
    default = "notepad" if sys.platform == "win32" else "nano"
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or default
    return f"{editor} {quoted(path)}"


def pip(*words: str) -> str:
    """An installation into the environment that localspec runs in."""
    from importlib.util import find_spec

    own = [sys.executable, "-m", "pip", "install"]
    uv = ["uv", "pip", "install", "--python", sys.executable]
    return quoted(*(own if find_spec("pip") else uv), *words)
