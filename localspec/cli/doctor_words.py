"""What the doctor found, as text: short sections, then what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localspec.health.finding import Facts, Finding

_SHOWN = 60


def report_lines(facts: Facts, findings: list[Finding]) -> Iterator[str]:
    sections = {
        "Build": _build(facts),
        "Devices": _devices(facts),
        "Disk": _disk(facts),
        "Hub": _hub(facts),
        "Settings": _settings(facts),
    }
    rows = {title: list(each) for title, each in sections.items()}
    width = max(len(name) for each in rows.values() for name, _ in each)
    yield f"localspec {facts.get('localspec', '?')} on Python {facts.get('python', '?')}"
    for title, each in rows.items():
        lines = [f"  {name:<{width}}  {value}" for name, value in each]
        yield from ("", title, *lines) if lines else ()
    yield from ("", *_findings(findings))


def _findings(findings: list[Finding]) -> Iterator[str]:
    broken = [finding for finding in findings if finding.is_broken]
    hints = [finding for finding in findings if not finding.is_broken]
    if not findings:
        yield "Nothing is broken."
        return
    for title, group in (("Broken", broken), ("Hints", hints)):
        if group:
            yield from ("", title) if broken and title == "Hints" else (title,)
        for finding in group:
            yield f"  {finding.text}"
            yield f"    ->  {finding.command}"
    if not broken:
        yield ""
        yield "Nothing is broken."


def _build(facts: Facts) -> Iterator[tuple[str, str]]:
    if "llama_cpp" in facts:
        binding = f"llama-cpp-python {facts['llama_cpp_python']}"
        yield "llama.cpp", f"{facts['llama_cpp']} ({binding})"
        yield "GPU support", "yes" if facts["gpu_support"] else "no"
        yield "offloaded", facts["offload"]
        yield "CPU code", facts["cpu_features"]
        if facts["amx_off"]:
            yield "AMX", f"off: {facts['amx_off']}"
    else:
        yield "llama.cpp", f"can't be used: {facts.get('failure', 'it gave no answer')}"
    libraries = {name: version or "missing" for name, version in facts.get("libraries", {}).items()}
    libraries.pop("llama-cpp-python", None)
    yield "libraries", ", ".join(f"{name} {version}" for name, version in libraries.items())
    if facts.get("gpu_build"):
        yield "for a GPU", facts["gpu_build"]


def _devices(facts: Facts) -> Iterator[tuple[str, str]]:
    memory: dict[str, Any] = facts.get("memory", {})
    for device in facts.get("devices", ()):
        room = f"{_share(device['memory_free'], device['memory_total'])} free"
        # Its memory is the machine's, told below.
        more = f"{memory.get('cores', '?')} cores" if device["kind"] == "cpu" else room
        yield device["name"], f"{device['description']}, {more}"
    if memory:
        limit = memory["limit"]
        less = f"; this container may use {limit / 1e9:.1f} GB" if limit else ""
        yield "memory", f"{_share(memory['available'], memory['total'])} free{less}"
    for name, value in facts.get("drivers", {}).items():
        yield f"{name} driver", value
    if not facts.get("drivers"):
        yield "GPU drivers", "none found"


def _disk(facts: Facts) -> Iterator[tuple[str, str]]:
    yield from facts.get("paths", {}).items()
    for disk in facts.get("disks", ()):
        held = " and ".join(disk["holds"])
        yield "free", f"{_share(disk['free'], disk['total'])}, for {held}"
    counts = facts.get("pairs", {})
    if counts:
        others = [
            f"{number} {name}" for name, number in counts.items() if number and name != "ready"
        ]
        yield "pairs", ", ".join([f"{counts['ready']} ready", *others])


def _hub(facts: Facts) -> Iterator[tuple[str, str]]:
    hub: dict[str, Any] = facts.get("hub", {})
    if not hub:
        return
    source = f" (from {hub['from']})" if hub["from"] else ""
    if hub["reached"]:
        state = f"reached in {hub['seconds'] * 1000:.0f} ms"
    else:
        state = f"{'not reached' if hub['reached'] is False else 'not asked'}: {hub['reason']}"
    yield "address", f"{hub['endpoint']}{source}, {state}"
    if hub["proxy"]:
        yield "proxy", f"the one in {hub['proxy']}"
    yield "token", f"from {hub['token']}" if hub["token"] else "none; most models need none"


def _settings(facts: Facts) -> Iterator[tuple[str, str]]:
    """Those that aren't the default."""
    for name, value in facts.get("settings", {}).items():
        text = str(value)
        yield name, text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _share(part: int, whole: int) -> str:
    return f"{part / 1e9:.1f} of {whole / 1e9:.1f} GB"
