"""Which compilers break AMX code, and that the kernel's refusal is temporary."""

import ctypes
import sys
from pathlib import Path

import pytest

from localspec.llama.amx import amx_refused, is_broken


@pytest.mark.parametrize(
    ("version", "broken"),
    [((10, 2), True), ((11, 4), True), ((11, 5), False), ((12, 2), True), ((12, 4), False),
     ((13, 2), True), ((13, 3), False), ((14, 1), False), ((15, 0), False)],
)  # fmt: skip
def test_compilers_that_drop_the_tile_configuration(version: tuple[int, int], broken: bool) -> None:
    """Debian 12's GCC 12.2 made the first batch on an AMX CPU end the process."""
    assert is_broken(*version) is broken


@pytest.mark.skipif(sys.platform != "linux", reason="AMX state is asked for on Linux only")
def test_the_signal_stack_and_stderr_are_put_back(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    libc = ctypes.CDLL(None)
    with amx_refused(tmp_path / "logs" / "log"):
        libc.dprintf(2, b"AMX is not ready to be used!\n")
    libc.dprintf(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
    assert "AMX" in (tmp_path / "logs" / "log").read_text()
