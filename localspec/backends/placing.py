"""From what was asked for to the first attempt, checked before any native call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from localspec.backends.attempt import Attempt
from localspec.backends.interface import LoadRequest
from localspec.llama import rpc
from localspec.llama.cache_types import CacheFormat, refuse_unfit
from localspec.llama.device_choice import check_split, chosen, for_draft
from localspec.llama.devices import Device
from localspec.llama.offload import Offload
from localspec.models.attention import head_dims, is_mixture, keeps_together
from localspec.models.model_file import ModelFacts


@dataclass(frozen=True, slots=True)
class Seats:
    """The devices that a pair may use: plain `Offload` values have only their names."""

    target: tuple[Device, ...]
    draft: tuple[Device, ...]
    """One at most."""


def find_seats(request: LoadRequest) -> Seats:
    """Greets RPC servers, and looks devices up. Raises UsageError, NativeFailure."""
    rpc.connect(request.rpc)
    target = chosen(request.device, request.rpc)
    check_split(request.tensor_split, target)
    return Seats(target, for_draft(request.draft_device, target, request.rpc))


def first_attempt(
    request: LoadRequest, seats: Seats, target: ModelFacts, draft: ModelFacts | None
) -> Attempt:
    """What was asked for, within what the target was trained for."""
    n_ctx = min(request.ctx, target.n_ctx_train or request.ctx)
    experts = _experts(request.cpu_experts, target)
    offload = _offload(seats.target, request.gpu_layers, request.tensor_split, experts)
    of_draft = _offload(seats.draft, request.draft_gpu_layers)
    return Attempt(n_ctx, offload, None if draft is None else of_draft)


def _offload(
    devices: Sequence[Device],
    layers: int | Literal["auto"],
    split: tuple[float, ...] = (),
    experts: int = 0,
) -> Offload:
    names = tuple(device.name for device in devices)
    if not names or layers == 0:
        return Offload()
    return Offload(names, -1 if layers == "auto" else layers, split, experts)


def _experts(wanted: int | Literal["all"], facts: ModelFacts) -> int:
    if not is_mixture(facts):
        return 0
    n_layer = facts.n_layer or 0
    return -1 if wanted == "all" or wanted >= n_layer > 0 else wanted


def target_cache(request: LoadRequest, facts: ModelFacts) -> CacheFormat:
    """Raises UsageError for what this model can't take."""
    kinds = "f16" if request.cache_type == "auto" else request.cache_type
    return _checked(_format(kinds, request), facts, "")


def draft_cache(request: LoadRequest, facts: ModelFacts | None) -> CacheFormat:
    """Raises UsageError for what this model can't take."""
    cache = _format(request.draft_cache_type, request)
    return cache if facts is None else _checked(cache, facts, "draft-")


def _format(text: str, request: LoadRequest) -> CacheFormat:
    if text == "auto":
        return CacheFormat(flash_attention=request.flash_attention, coarse=True)
    keys, _, values = text.partition("/")
    return CacheFormat(keys, values or keys, request.flash_attention)


def _checked(cache: CacheFormat, facts: ModelFacts, prefix: str) -> CacheFormat:
    refuse_unfit(cache, facts.path.name, head_dims(facts), keeps_together(facts), prefix)
    return cache


def unused(request: LoadRequest, seats: Seats, target: ModelFacts) -> Iterator[str]:
    """A sentence about each option that means nothing here."""
    if request.cpu_experts and not is_mixture(target):
        yield f"{target.path.name} is no mixture: it has no experts to keep on the CPU."
    elif request.cpu_experts and not seats.target:
        yield "All experts are on the CPU: no device holds a layer."
    if not seats.target and request.gpu_layers not in ("auto", 0):
        yield f"--gpu-layers {request.gpu_layers}: the target has no device to put layers on."
    if not seats.draft and request.draft_gpu_layers not in ("auto", 0):
        yield f"--draft-gpu-layers {request.draft_gpu_layers}: the draft has no device."
