"""Everything that is looked at, in an order that keeps the waiting short."""

from localspec.health import build, configuration, drivers, hub, memory, storage, versions
from localspec.health.attempt import Attempt
from localspec.health.finding import Facts, Finding, Probe, guarded
from localspec.settings import Settings

_NATIVE_S = 60.0
"""Beyond the limit that the process of its own has."""


def examine() -> tuple[Facts, list[Finding]]:
    """Facts by name, as `doctor --json` prints them, and what follows from them, the broken first.

    What has to be waited for is asked first, in threads and a process of its own.
    """
    answer, cards = hub.ask_hub(), drivers.ask_nvidia()
    native = Attempt(build.build, _NATIVE_S)
    probes: dict[str, Probe] = {
        "The versions": versions.versions,
        "The settings": configuration.settings,
        "The memory": memory.memory,
        "The disk": storage.directories,
        "The pairs": storage.pairs,
        "The drivers": lambda: drivers.drivers(cards),
        "llama.cpp": native.result,
        "The hub": lambda: hub.hub(answer),
    }
    facts: Facts = {}
    findings: list[Finding] = []
    for what, probe in probes.items():
        found, told = guarded(what, probe)
        facts |= found
        findings += told
    loaded = facts.pop("loaded", None)
    findings += guarded("The whole", lambda: ({}, _together(facts, loaded)))[1]
    return facts, sorted(findings, key=lambda finding: not finding.is_broken)


def _together(facts: Facts, loaded: object) -> list[Finding]:
    """What shows only when one is held against another."""
    found = build.idle_gpus(facts, facts.get("gpus", []))
    if isinstance(loaded, Settings):
        devices = facts.get("devices")
        on_gpu = bool(facts.get("gpu_support")) and loaded.device != "cpu"
        found += memory.demands(loaded, facts, on_gpu)
        found += configuration.unknown_device(loaded, devices) if devices is not None else []
    return found
