"""Converting a model file to another quantisation."""

import ctypes
from pathlib import Path
from typing import Literal

import llama_cpp

from localspec import paths
from localspec.errors import NativeFailure
from localspec.llama import log
from localspec.llama.devices import physical_cores, start_backend

QuantType = Literal["f16", "q8_0", "q4_0", "q4_k_m"]

_FILE_TYPES = {
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
}


def quantize(source: Path, target: Path, kind: QuantType) -> None:
    """Write `source` as `kind` to `target`, which it replaces. Blocks. Raises NativeFailure."""
    start_backend()
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = _FILE_TYPES[kind]
    params.nthread = physical_cores()
    # A file that is quantised already is made larger or smaller again; the loss stays.
    params.allow_requantize = True
    log.last_error()
    code = llama_cpp.llama_model_quantize(
        str(source).encode(), str(target).encode(), ctypes.byref(params)
    )
    if code != 0:
        reason = log.last_error() or f"code {code}"
        raise NativeFailure(
            f"{source.name} could not be converted: {reason}.", f"The log is {paths.log_file()}."
        )
