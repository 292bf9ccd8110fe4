"""Converting a model file to another quantisation."""

import ctypes
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import llama_cpp

from localspec import paths
from localspec.errors import NativeFailure
from localspec.llama import log
from localspec.llama.devices import physical_cores, start_backend

QuantType = Literal["f16", "q8_0", "q4_0", "q4_k_m"]

FILE_TYPES = {
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
}
_POLL_S = 0.2


def quantize(source: Path, target: Path, kind: QuantType, pure: bool = False) -> Iterator[float]:
    """Write `source` as `kind` to `target`, which it replaces, yielding the share done.

    `pure` leaves no tensor in a larger type, the output layer included: for a small draft that
    layer is a third of the work.

    Closing the iterator leaves the native call running on a daemon thread: end the process then.
    Raises NativeFailure.
    """
    start_backend()
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = FILE_TYPES[kind]
    params.nthread = physical_cores()
    params.pure = pure
    # A file that is quantised already is made larger or smaller again; the loss stays.
    params.allow_requantize = True
    codes: list[int] = []

    def convert() -> None:
        paths_ = os.fsencode(source), os.fsencode(target)
        codes.append(llama_cpp.llama_model_quantize(*paths_, ctypes.byref(params)))

    log.first_error()
    # In a thread, so that Ctrl+C is heard while native code runs.
    thread = threading.Thread(target=convert, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL_S)
        yield _share_done(log.last_line())
    if codes != [0]:
        reason = _failure(log.last_line()) or log.first_error() or "llama.cpp gave no reason"
        raise NativeFailure(
            f"{source.name} could not be converted: {reason}.", f"The log is {paths.log_file()}."
        )


def _failure(line: str) -> str:
    """What stands behind `failed to quantize:`, on the line of the tensor that it happened at."""
    return line.partition("failed to quantize: ")[2].strip()


def _share_done(line: str) -> float:
    """llama.cpp logs `[ 12/ 339] name` for every tensor."""
    found = re.match(r"\[\s*(\d+)/\s*(\d+)\]", line)
    return int(found[1]) / int(found[2]) if found else 0.0
