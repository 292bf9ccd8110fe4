"""`localspec doctor`: the build, the devices, where everything lies; with a pair, what it costs."""

from __future__ import annotations

import platform
import sys
from typing import Annotated, Any

import typer

from localspec.cli import options

_BUILDS = {
    "CUDA": "-DGGML_CUDA=ON",
    "Metal": "-DGGML_METAL=ON",
    "Vulkan": "-DGGML_VULKAN=ON",
    "ROCm": "-DGGML_HIP=ON",
}


def doctor(
    model: Annotated[
        str | None, typer.Argument(help="With --costs: a model; else the default one.")
    ] = None,
    costs: Annotated[
        bool,
        typer.Option("--costs", help="Load a pair and show what its passes cost on this machine."),
    ] = False,
    recalibrate: Annotated[
        bool, typer.Option("--recalibrate", help="With --costs: measure all of it again.")
    ] = False,
    ctx: options.Ctx = None,
    gpu_layers: options.GpuLayers = None,
    draft_gpu_layers: options.DraftGpuLayers = None,
    device: options.Device = None,
    draft_device: options.DraftDevice = None,
    tensor_split: options.TensorSplit = None,
    cpu_experts: options.CpuExperts = None,
    flash_attention: options.FlashAttention = None,
    cache_type: options.CacheType = None,
    draft_cache_type: options.DraftCacheType = None,
    threads: options.Threads = None,
    rpc: options.Rpc = None,
    fresh: options.Fresh = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> int:
    """Show the llama.cpp build, its devices, what goes where, paths and versions.

    With --costs: what a pass costs by its number of tokens, and what drafting can gain by that.
    """
    if costs:
        from localspec.cli.doctor_costs import show_costs
        from localspec.cli.placement import placement
        from localspec.settings import load_settings

        settings = load_settings(
            model=model,
            ctx=ctx,
            **placement(locals()),
        )
        show_costs(settings, recalibrate, yes, json, fresh)
        return 0
    if model is not None or recalibrate:
        from localspec.errors import UsageError

        raise UsageError("A model goes with --costs.", "Use localspec doctor --costs MODEL.")
    report = _report()
    if json:
        import json as json_module

        typer.echo(json_module.dumps(report))
    else:
        _print(report)
    return 0


def _report() -> dict[str, Any]:
    from localspec import __version__, paths
    from localspec.llama import build, devices

    found = devices.devices()
    gpu = devices.supports_gpu()
    return {
        "localspec": __version__,
        "python": platform.python_version(),
        "llama_cpp_python": build.binding_version(),
        "llama_cpp": build.library_version(),
        "cpu_features": build.cpu_features(),
        "amx_off": build.amx_off_reason(),
        "gpu_support": gpu,
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind,
                "memory_free": device.memory_free,
                "memory_total": device.memory_total,
            }
            for device in found
        ],
        "threads": devices.physical_cores(),
        "offload": "target and draft, all layers" if gpu else "nothing: CPU only",
        "gpu_build": "" if gpu else _build_command(),
        "paths": {
            "config": str(paths.config_file()),
            "models": str(paths.models_dir()),
            "history": str(paths.history_file()),
            "log": str(paths.log_file()),
        },
    }


def _build_command() -> str:
    """The command for the GPU that this machine most likely has."""
    kind = _likely_gpu()
    flags = _BUILDS[kind]
    pip = f"{sys.executable} -m pip install --force-reinstall --no-cache-dir --no-deps"
    requirement = '"llama-cpp-python>=0.3.36,<0.3.37"'
    if sys.platform == "win32":
        return f'set "CMAKE_ARGS={flags}" && {pip} {requirement}'
    return f'CMAKE_ARGS="{flags}" {pip} {requirement}'


def _likely_gpu() -> str:
    from pathlib import Path
    from shutil import which

    if sys.platform == "darwin":
        return "Metal"
    if which("nvidia-smi") or which("nvcc"):
        return "CUDA"
    return "ROCm" if Path("/opt/rocm").is_dir() else "Vulkan"


def _print(report: dict[str, Any]) -> None:
    from localspec.cli.failure import printable

    rows = {
        "localspec": f"{report['localspec']} on Python {report['python']}",
        "llama.cpp": f"{report['llama_cpp']} (llama-cpp-python {report['llama_cpp_python']})",
        "CPU": f"{report['threads']} cores; {report['cpu_features']}",
        "GPU support": "yes" if report["gpu_support"] else "no",
        "offloaded": report["offload"],
    }
    for name, value in rows.items():
        typer.echo(f"{name:<12} {printable(value)}")
    for device in report["devices"]:
        memory = f"{device['memory_free'] / 1e9:.1f} of {device['memory_total'] / 1e9:.1f} GB free"
        typer.echo(f"{'device':<12} {printable(device['name'])}: "
                   f"{printable(device['description'])}, {memory}")  # fmt: skip
    for name, value in report["paths"].items():
        typer.echo(f"{name:<12} {printable(value)}")
    if report["amx_off"]:
        typer.echo(f"{'AMX':<12} off: {report['amx_off']}")
    if report["gpu_build"]:
        typer.echo(
            "\nThis build runs on the CPU only. If there is a GPU, this gets a build for it:"
        )
        typer.echo(f"  {report['gpu_build']}")
