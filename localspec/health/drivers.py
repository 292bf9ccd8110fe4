"""GPUs that this machine has, and the drivers to reach them, whatever llama.cpp was built for."""

import ctypes
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from localspec.health.attempt import Attempt
from localspec.health.finding import Facts, Finding, unset

_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD"}
"""Of graphics cards that are worth a build; a part of an Intel CPU rarely is."""
_HIDING = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_VULKAN = {"win32": "vulkan-1.dll", "darwin": "libvulkan.1.dylib"}
_NVIDIA_S = 0.6


def ask_nvidia() -> Attempt[str]:
    """`nvidia-smi` can take seconds, so it is asked while others are looked at."""

    def ask() -> str:
        program = which("nvidia-smi")
        if program is None:
            return ""
        query = [program, "--query-gpu=driver_version,name,memory.total", "--format=csv,noheader"]
        done = subprocess.run(
            query, capture_output=True, text=True, errors="replace", timeout=10.0, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    return Attempt(ask, _NVIDIA_S)


def drivers(nvidia: Attempt[str]) -> tuple[Facts, list[Finding]]:
    """Facts: `drivers` by name, and `gpus`, the makers of the cards that were seen."""
    found = dict(_drivers(nvidia))
    makers = set(_cards()) | ({"NVIDIA"} if ", " in found.get("NVIDIA", "") else set())
    findings = [
        Finding(f"{name} hides every GPU from llama.cpp.", unset(name))
        for name in _HIDING
        if makers and os.environ.get(name, "0").strip() in ("", "-1")
    ]
    return {"drivers": found, "gpus": sorted(makers)}, findings


def _drivers(nvidia: Attempt[str]) -> Iterator[tuple[str, str]]:
    if card := _nvidia(nvidia):
        yield "NVIDIA", card
    if kernel := _first_line(Path("/sys/module/amdgpu/version")):
        yield "AMD", f"amdgpu {kernel}"
    elif Path("/dev/kfd").exists():
        yield "AMD", "amdgpu of the kernel"
    if rocm := _first_line(Path("/opt/rocm/.info/version")):
        yield "ROCm", rocm
    if sys.platform == "darwin":
        yield "Metal", f"of macOS {platform.mac_ver()[0]}"
    if _loads(_VULKAN.get(sys.platform, "libvulkan.so.1")):
        yield "Vulkan", "its loader is installed"


def _nvidia(nvidia: Attempt[str]) -> str:
    try:
        cards = [line.split(", ") for line in nvidia.result().splitlines()]
    except Exception:
        cards = []
    if cards:
        names = " + ".join(", ".join(card[1:]) for card in cards)
        return f"{cards[0][0]}: {names}"
    # The kernel's module tells its version even where its tools are missing or hang.
    version = re.search(r"\b\d{3,}\.\d[\d.]*", _first_line(Path("/proc/driver/nvidia/version")))
    return f"{version[0]} (nvidia-smi doesn't answer)" if version else ""


def _cards() -> Iterator[str]:
    """The makers of the graphics cards on the bus, with or without a driver."""
    for device in Path("/sys/bus/pci/devices").glob("*"):
        maker = _VENDORS.get(_first_line(device / "vendor"))
        if maker and _first_line(device / "class").startswith("0x03"):
            yield maker


def _first_line(path: Path) -> str:
    try:
        return path.read_text(errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
