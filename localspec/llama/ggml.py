"""ggml's own functions: the binding declares none, its shared libraries export them."""

from __future__ import annotations

from typing import Any

import llama_cpp


def ggml(name: str, result: Any, *arguments: Any) -> Any:
    """A function by its name, with the types of its result and arguments."""
    function = getattr(_library(name), name)
    function.restype = result
    function.argtypes = arguments
    return function


def _library(name: str) -> Any:
    library = llama_cpp.llama_cpp._lib
    if hasattr(library, name):
        return library
    # Windows does not look a symbol up in the library's dependencies.
    from llama_cpp._ctypes_extensions import load_shared_library
    from llama_cpp._ggml import libggml, libggml_base_path

    return (
        libggml if hasattr(libggml, name) else load_shared_library("ggml-base", libggml_base_path)
    )
