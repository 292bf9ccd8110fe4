"""llama.cpp's RPC server over this machine's CPU: `python -m tests.rpc_server PORT [MEGABYTES]`.

With MEGABYTES the server's allocations fail when its address space has grown by so much.
"""

import ctypes
import resource
import sys

import psutil

from localspec.llama.devices import devices
from localspec.llama.ggml import ggml

THREADS = 2


def serve(port: int, megabytes: int | None) -> None:
    """Never returns while the port can be had."""
    pointer = ctypes.c_void_p
    (cpu,) = [device.handle for device in devices() if device.kind == "cpu"]
    registry = ggml("ggml_backend_reg_by_name", pointer, ctypes.c_char_p)(b"RPC")
    find = ggml("ggml_backend_reg_get_proc_address", pointer, pointer, ctypes.c_char_p)
    address = find(registry, b"ggml_backend_rpc_start_server")
    start = ctypes.CFUNCTYPE(
        None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, pointer
    )(address)
    if megabytes is not None:
        # The threads' stacks are a part of what it may grow by.
        limit = psutil.Process().memory_info().vms + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    handles = (ctypes.c_void_p * 1)(cpu)
    start(f"127.0.0.1:{port}".encode(), None, THREADS, 1, handles)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
