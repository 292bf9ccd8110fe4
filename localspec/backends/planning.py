"""How much of a pair goes on its devices where the user left that open: what fits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from localspec.backends.attempt import Attempt
from localspec.backends.interface import LoadRequest
from localspec.backends.pair_files import PairFacts
from localspec.backends.placing import (
    Seats,
    draft_cache,
    find_seats,
    first_attempt,
    target_cache,
    unused,
)
from localspec.llama.cache_types import CacheFormat
from localspec.llama.devices import Device, devices
from localspec.llama.offload import Offload
from localspec.models.header_memory import memory_of
from localspec.models.memory import DRAFT_ROWS, Cache, ModelMemory
from localspec.models.model_file import ModelFacts
from localspec.models.model_use import Layout, ModelUse
from localspec.models.placement import CPU, MemoryOf
from localspec.models.placing import head_room, plan
from localspec.models.selection import size_text


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How a load begins."""

    first: Attempt
    caches: tuple[CacheFormat, CacheFormat]
    """The target's and the draft's."""
    notices: tuple[str, ...]
    """What the user should hear before."""


def plan_load(request: LoadRequest, facts: PairFacts) -> LoadPlan:
    """Checks all that was asked for. Raises UsageError, and NativeFailure for an RPC server."""
    caches = target_cache(request, facts.target), draft_cache(request, facts.draft)
    seats = find_seats(request)
    asked = first_attempt(request, seats, facts.target, facts.draft)
    fewer = f"The context is {asked.n_ctx} tokens: this model was not trained for more."
    first, short = planned(request, seats, facts, asked, caches)
    notices = [fewer] if asked.n_ctx < request.ctx else []
    notices += [*unused(request, seats, facts.target), *filter(None, [short])]
    return LoadPlan(first, caches, tuple(notices))


def planned(
    request: LoadRequest,
    seats: Seats,
    facts: PairFacts,
    first: Attempt,
    caches: tuple[CacheFormat, CacheFormat],
) -> tuple[Attempt, str]:
    """The attempt with the draft on its device before the target's layers are added, as many as
    the free memory holds; and a sentence where memory is short, else empty. `caches` are the
    target's and the draft's.

    What the user set stays: numbers of layers, shares, experts, the draft's place.
    """
    if not seats.target:
        return first, ""
    free = {device.name: _memory(device) for device in (*seats.target, *seats.draft)}
    free[CPU] = _system()
    attempt, said = _draft_first(request, facts.draft, first, free, caches[1])
    if request.gpu_layers != "auto" or request.tensor_split:
        return attempt, said
    target = _without_experts(memory_of(facts.target), first.target.cpu_experts)
    cache = caches[0]
    found = plan(
        target,
        None,
        [*(free[device.name] for device in seats.target), free[CPU]],
        first.n_ctx,
        cache.keys,
        cache.values,
        cache.flash_attention != "off",
    )
    all_of_it = found.target_layers >= target.num_layers
    offload = Offload(
        found.devices,
        -1 if all_of_it else found.target_layers,
        found.tensor_split,
        first.target.cpu_experts or found.cpu_experts,
    )
    short = "" if found.fits else f"Memory is short. {found.reason}"
    return replace(attempt, target=offload if found.devices else Offload()), said or short


def _draft_first(
    request: LoadRequest,
    facts: ModelFacts | None,
    first: Attempt,
    free: dict[str, MemoryOf],
    cache: CacheFormat,
) -> tuple[Attempt, str]:
    """Takes what the draft needs out of `free`; a draft that doesn't fit goes on the CPU, unless
    the user wanted it where it is."""
    if facts is None or first.draft is None or first.draft.on_cpu:
        return first, ""
    memory = memory_of(facts)
    use = ModelUse(
        memory,
        Cache(first.n_ctx, cache.keys, cache.values),
        DRAFT_ROWS,
        cache.flash_attention != "off",
    )
    (name,) = first.draft.devices
    on_device, on_cpu = use.of(Layout((first.draft.num_layers(memory.num_layers - 1),)))
    needed = on_device.total
    device = free[name]
    wanted = not request.chosen.isdisjoint(("draft_device", "draft_gpu_layers"))
    room = head_room(device)
    if needed + room > device.free and not wanted:
        has = f"{name} has {size_text(device.free)} free"
        needs = f"{size_text(needed)} with {size_text(room)} to spare"
        return replace(
            first, draft=Offload()
        ), f"The draft goes on the CPU: {has}, it needs {needs}."
    free[name] = _less(device, needed)
    shared = needed if device.kind == "igpu" else 0
    free[CPU] = _less(free[CPU], on_cpu.total + shared)
    return first, ""


def _less(device: MemoryOf, taken: int) -> MemoryOf:
    return replace(device, free=max(0, device.free - taken))


def _without_experts(memory: ModelMemory, cpu_experts: int) -> ModelMemory:
    """Experts that stay in the system's memory anyway take no room on a device."""
    count = len(memory.layers) if cpu_experts < 0 else cpu_experts
    kept = (replace(layer, experts=0) for layer in memory.layers[:count])
    return replace(memory, layers=(*kept, *memory.layers[count:]))


def _memory(device: Device) -> MemoryOf:
    # One that knows no size of its own has the system's.
    known = device if device.memory_total else _cpu()
    return MemoryOf(device.name, device.kind, known.memory_free, known.memory_total)


def _system() -> MemoryOf:
    return replace(_memory(_cpu()), name=CPU)


def _cpu() -> Device:
    return next(device for device in devices() if device.kind == "cpu")
