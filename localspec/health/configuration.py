"""The settings in force, and what is wrong with where they come from."""

import difflib
import os
from collections.abc import Iterator

from localspec import paths
from localspec.errors import LocalspecError
from localspec.health.finding import Facts, Finding, edit, unset
from localspec.health.memory import setting_command
from localspec.models import catalog, store
from localspec.settings import Settings, load_settings

_DIRECTORIES = {"CONFIG_DIR", "DATA_DIR", "CACHE_DIR"}
_PREFIX = "LOCALSPEC_"


def settings() -> tuple[Facts, list[Finding]]:
    """Facts: those that aren't the default, and `settings` itself for other probes."""
    findings = [*_unknown_variables(), *_own_pairs()]
    try:
        loaded = load_settings()
    except LocalspecError as error:
        return {}, [*findings, Finding(error.message, _mend(error), is_broken=True)]
    changed = loaded.model_dump(mode="json", exclude_defaults=True)
    if not store.is_known(loaded.model):
        told = f"The default model, {loaded.model}, is neither in the catalog nor on this disk."
        findings.append(Finding(told, setting_command("model"), is_broken=True))
    return {"settings": changed, "loaded": loaded}, findings


def unknown_device(loaded: Settings, devices: list[Facts]) -> Iterator[Finding]:
    """`devices` are those of `native.report`."""
    names = [device["name"] for device in devices if device["kind"] != "cpu"]
    wanted = loaded.device.lower()
    if wanted not in ("auto", "cpu", *(name.lower() for name in names)):
        told = f"device = {loaded.device}, and llama.cpp sees no such device."
        yield Finding(told, setting_command("device"), is_broken=True)


def _own_pairs() -> Iterator[Finding]:
    problem = catalog.own_pairs().problem
    if problem:
        yield Finding(problem, edit(paths.own_pairs_file()), is_broken=True)


def _mend(error: LocalspecError) -> str:
    """Undo the variable that the error is about, or else open the file."""
    name = error.message.partition(" = ")[0]
    variable = _PREFIX + name.upper()
    if name in Settings.model_fields and os.environ.get(variable):
        return unset(variable)
    return edit(paths.config_file())


def _unknown_variables() -> Iterator[Finding]:
    known = {*_DIRECTORIES, *(name.upper() for name in Settings.model_fields)}
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX).upper()
        if not variable.startswith(_PREFIX) or name in known:
            continue
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {_PREFIX}{near[0]}?" if near else "."
        yield Finding(f"{variable} is no setting{hint}", unset(variable))
