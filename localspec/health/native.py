"""Asks llama.cpp what it is and which devices it sees, in a process of its own.

A broken library or a hung driver may end or hold whoever asks.
"""

import json
import os
import subprocess
import sys
from typing import Any

_TIMEOUT_S = 30.0
"""A GPU driver that wakes up takes seconds."""


class NativeProbeFailed(Exception):
    """Why, as a clause."""


def ask() -> dict[str, Any]:
    """The answers of `report`. Raises NativeProbeFailed."""
    # -P: a file in the working directory must not stand in for a module.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", "localspec.health.native"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise NativeProbeFailed(f"it doesn't start within {_TIMEOUT_S:.0f} seconds") from None
    if done.returncode == 0:
        answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answers
    if done.returncode < 0:
        raise NativeProbeFailed(f"it ends its process (signal {-done.returncode})")
    last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
    raise NativeProbeFailed(last.rstrip(".")[:300])


def report() -> dict[str, Any]:
    from localspec.llama import build, devices

    return {
        "llama_cpp_python": build.binding_version(),
        "llama_cpp": build.library_version(),
        "cpu_features": build.cpu_features(),
        "amx_off": build.amx_off_reason(),
        "gpu_support": devices.supports_gpu(),
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind,
                "memory_free": device.memory_free,
                "memory_total": device.memory_total,
            }
            for device in devices.devices()
        ],
        "threads": devices.physical_cores(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(report()) + "\n")
