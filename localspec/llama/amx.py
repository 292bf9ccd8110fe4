"""Keeps llama.cpp off AMX code that the compiler broke.

GCC before 11.5, 12.4, 13.3 and 14 declares 8 of the 64 bytes that `ldtilecfg` reads
(amxtileintrin.h), so the optimiser drops the rest of the tile configuration, and the first batch
on a CPU with AMX ends the process. Debian 12's GCC 12.2 is one of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import llama_cpp

from localspec.llama.stderr import stderr_to

_FIXED_IN = {11: 5, 12: 4, 13: 3}
_SMALL_STACK = 8192
"""Room for every frame but one with AMX state (11 KB)."""


def broken_compiler() -> str:
    """The GCC that broke this build's AMX code, as `12.2`; empty when nothing is wrong."""
    if sys.platform != "linux" or " amx_tile" not in _cpu_flags():
        return ""
    for library in sorted(Path(llama_cpp.__file__).parent.glob("lib/libggml-cpu*.so*")):
        found = re.search(rb"GCC: \([^)]*\) (\d+)\.(\d+)", library.read_bytes())
        if found and is_broken(int(found[1]), int(found[2])):
            return f"{int(found[1])}.{int(found[2])}"
    return ""


def is_broken(major: int, minor: int) -> bool:
    return major < 14 and minor < _FIXED_IN.get(major, 100)


def _cpu_flags() -> str:
    try:
        return Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""


class _Stack(ctypes.Structure):
    _fields_ = [
        ("sp", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("size", ctypes.c_size_t),
    ]


@contextlib.contextmanager
def amx_refused(log_file: Path) -> Iterator[None]:
    """While this holds, the kernel refuses the process AMX state, and llama.cpp's complaint about
    that goes to the log file.

    Linux grants the state only if every signal stack could hold it; llama.cpp asks once.
    """
    libc = ctypes.CDLL(None)
    memory = ctypes.create_string_buffer(_SMALL_STACK)
    before = _Stack()
    libc.sigaltstack(
        ctypes.byref(_Stack(ctypes.addressof(memory), 0, _SMALL_STACK)), ctypes.byref(before)
    )
    try:
        with stderr_to(log_file):
            yield
    finally:
        libc.sigaltstack(ctypes.byref(before), None)
