"""The reason of a native failure reaches the user."""

import os
import subprocess
import sys

from localspec.llama import log


def test_errors_are_kept_and_warnings_are_not() -> None:
    """The constant of a warning was taken for that of an error: no failure ever had a reason."""
    log.first_error()
    log._write(3, b"just a warning\n", None)
    log._write(4, b"unknown model architecture: 'x'\n", None)
    log._write(4, b"failed to load model\n", None)
    assert log.first_error() == "unknown model architecture: 'x'"
    assert log.first_error() == ""


def spin_count(**environment: str) -> str:
    code = "import os, localspec.llama; print(os.environ.get('GOMP_SPINCOUNT'))"
    clean = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=clean | environment, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_threads_spin_shortly_unless_the_user_decides() -> None:
    """One busy process beside made decoding 15 times slower: waiting threads kept the cores."""
    assert spin_count() == "1000"
    assert spin_count(GOMP_SPINCOUNT="7") == "7"
    assert spin_count(OMP_WAIT_POLICY="active") == "None"
