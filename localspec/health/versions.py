"""Which versions are installed, and which are known not to work together with this localspec."""

import platform
import re
from importlib import metadata

from localspec import __version__
from localspec.health.finding import Facts, Finding, pip

SUPPORTED = {
    "llama-cpp-python": ("0.3.36", "0.3.37"),
    "huggingface-hub": ("1.0", "3"),
    "textual": ("8.2", "9"),
    "typer": ("0.29", "0.30"),
}
"""From, and below. Each of these has changed what localspec calls outside of its range: names and
structures of llama.cpp's functions; downloads, errors and the HTTP library of the hub's; widgets
and keys of the screen; exceptions of the command line."""


def versions() -> tuple[Facts, list[Finding]]:
    installed = {name: _version(name) for name in SUPPORTED}
    facts = {
        "localspec": __version__,
        "python": platform.python_version(),
        "libraries": installed,
    }
    return facts, [
        _misfit(name, version)
        for name, version in installed.items()
        if not is_supported(name, version)
    ]


def is_supported(name: str, version: str) -> bool:
    first, beyond = SUPPORTED[name]
    return bool(version) and _numbers(first) <= _numbers(version) < _numbers(beyond)


def requirement(name: str) -> str:
    first, beyond = SUPPORTED[name]
    return f"{name}>={first},<{beyond}"


def _misfit(name: str, version: str) -> Finding:
    first, beyond = SUPPORTED[name]
    told = (
        f"{name} is {version or 'not installed'}; localspec works with {first} to below {beyond}."
    )
    return Finding(told, pip(requirement(name)), is_broken=True)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    """The release's numbers, without zeros at the end: 1.0 is 1."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
