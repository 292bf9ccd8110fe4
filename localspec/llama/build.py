"""What the installed llama.cpp was made of."""

import llama_cpp

from localspec.llama.amx import broken_compiler
from localspec.llama.devices import start_backend


def binding_version() -> str:
    return str(llama_cpp.__version__)


def library_version() -> str:
    version: bytes = llama_cpp.llama_version()
    return version.decode("utf-8", "replace")


def cpu_features() -> str:
    """The instruction sets that the build uses, as llama.cpp lists them."""
    start_backend()
    info: bytes = llama_cpp.llama_print_system_info()
    parts = info.decode("utf-8", "replace").replace("CPU :", "").split("|")
    used = (
        part.strip().removesuffix("= 1").strip() for part in parts if part.strip()[-3:] == "= 1"
    )
    return ", ".join(used)


def amx_off_reason() -> str:
    """Why AMX is not used although the CPU has it; empty when nothing is off."""
    compiler = broken_compiler()
    if not compiler:
        return ""
    return f"GCC {compiler} breaks llama.cpp's AMX code; a build by GCC 14 or newer would use it"
