"""llama.cpp as it is installed: does it load, does it use the devices that are here?"""

import sys
from pathlib import Path
from shutil import which

from localspec.health import native
from localspec.health.finding import Facts, Finding, pip
from localspec.health.versions import requirement

_FLAGS = {
    "CUDA": "-DGGML_CUDA=ON",
    "Metal": "-DGGML_METAL=ON",
    "Vulkan": "-DGGML_VULKAN=ON",
    "ROCm": "-DGGML_HIP=ON",
}
_GPU_KINDS = ("gpu", "igpu")


def build() -> tuple[Facts, list[Finding]]:
    """Facts of `native.report`, and `offload` and `gpu_build` in words."""
    try:
        facts = native.ask()
    except native.NativeProbeFailed as error:
        told = f"llama.cpp can't be used: {error}."
        return {"failure": str(error)}, [Finding(told, _anew(), is_broken=True)]
    gpu = facts["gpu_support"]
    facts["offload"] = "target and draft, all layers" if gpu else "nothing: CPU only"
    facts["gpu_build"] = "" if gpu else build_command()
    findings = []
    if facts["amx_off"]:
        told = f"The CPU's AMX is off: {facts['amx_off']}."
        findings.append(Finding(told, _with("CC=gcc-14 CXX=g++-14", _anew(source=True))))
    return facts, findings


def idle_gpus(facts: Facts, gpus: list[str]) -> list[Finding]:
    """A GPU that is here, but not used by this build. `facts` are those of `build`."""
    if "gpu_support" not in facts:
        return []
    makers = " and ".join(gpus)
    if not facts["gpu_support"]:
        told = f"This build runs on the CPU only, and there is a GPU ({makers})."
        return [Finding(told, build_command())] if gpus else []
    if any(device["kind"] in _GPU_KINDS for device in facts["devices"]):
        return []
    if gpus:
        told = f"This build can use a GPU and there is one ({makers}), but llama.cpp sees none."
        check = "nvidia-smi" if "NVIDIA" in gpus else "rocminfo"
        return [Finding(told, check, is_broken=True)]
    told = "This build can use a GPU, but llama.cpp sees none."
    return [Finding(told, "nvidia-smi" if which("nvidia-smi") else "localspec doctor --json")]


def build_command() -> str:
    """The command for the GPU that this machine most likely has."""
    return _with(f'CMAKE_ARGS="{_FLAGS[_likely_gpu()]}"', _anew())


def _anew(source: bool = False) -> str:
    own = ("--no-binary", "llama-cpp-python") if source else ()
    forced = ("--force-reinstall", "--no-cache-dir", "--no-deps")
    return pip(*forced, *own, requirement("llama-cpp-python"))


def _with(variables: str, command: str) -> str:
    if sys.platform == "win32":
        return f'set "{variables.replace(chr(34), "")}" && {command}'
    return f"{variables} {command}"


def _likely_gpu() -> str:
    if sys.platform == "darwin":
        return "Metal"
    if which("nvidia-smi") or which("nvcc"):
        return "CUDA"
    return "ROCm" if Path("/opt/rocm").is_dir() else "Vulkan"
