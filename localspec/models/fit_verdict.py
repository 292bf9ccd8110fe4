"""Whether a pair fits on a machine, in a few words, in the quantisation that is pulled there."""

from collections.abc import Sequence
from dataclasses import dataclass

from localspec.errors import LocalspecError
from localspec.models.candidates import Candidates, candidates_of
from localspec.models.fit import Choice, best_quant
from localspec.models.placement import CPU, MemoryOf, Placement
from localspec.models.placing import plan
from localspec.models.selection import size_text


@dataclass(frozen=True, slots=True)
class FitVerdict:
    text: str
    """As `fits on the GPU`."""
    detail: str
    """A sentence: what goes where, or why it can't be told."""
    fits: bool | None
    """None where it can't be told."""
    quant: str = ""
    """Of the target; empty where it can't be told."""
    bytes: int = 0
    """Of both models' files in these quantisations."""
    n_ctx_train: int | None = None
    """What the target was trained for."""


def fit_verdict(name: str, devices: Sequence[MemoryOf]) -> FitVerdict:
    """By headers where the pair is on this disk, else by the catalog's numbers."""
    try:
        candidates = candidates_of(name)
    except (LocalspecError, OSError) as error:
        return FitVerdict("can't be judged", str(error), None)
    if candidates is None:
        told = "The catalog doesn't know how large it is; `localspec check` asks the hub."
        return FitVerdict("size unknown", told, None)
    chosen = usual_quant(candidates, devices).candidate
    memory = chosen.memory
    placement = plan(memory, candidates.draft, devices, memory.usual_ctx)
    return FitVerdict(
        text=fit_words(placement, memory.num_layers, devices),
        detail=placement.reason,
        fits=placement.fits,
        quant=chosen.quant,
        bytes=chosen.file_bytes + candidates.draft_bytes,
        n_ctx_train=memory.n_ctx_train,
    )


def usual_quant(candidates: Candidates, devices: Sequence[MemoryOf]) -> Choice:
    """What a pull takes of the files that are known."""
    own = candidates.chosen
    offered = [each for each in candidates.targets if each.origin != "usual"]
    return best_quant(offered, own, candidates.draft, devices, own.memory.usual_ctx)


def fit_words(placement: Placement, num_layers: int, devices: Sequence[MemoryOf]) -> str:
    """Short enough for a table."""
    if not placement.fits:
        return _too_big(placement)
    if not placement.devices:
        alone = all(device.kind == "cpu" for device in devices)
        return "fits in memory" if alone else "fits, on the CPU alone"
    on_cpu = num_layers - placement.target_layers
    if on_cpu > 0:
        return f"fits, {on_cpu} layer{'' if on_cpu == 1 else 's'} on the CPU"
    if placement.cpu_experts:
        return f"fits, experts of {placement.cpu_experts} layers on the CPU"
    several = len(placement.devices)
    where = "the GPU" if several == 1 else f"{several} GPUs"
    return f"fits on {where}" + (", draft on the CPU" if placement.draft_device == CPU else "")


def _too_big(placement: Placement) -> str:
    """By all devices together; by the one that is short where they would do together."""
    short = max(placement.uses, key=lambda use: use.needed + use.head_room - use.free)
    needed = sum(use.needed + use.head_room for use in placement.uses)
    free = sum(use.free for use in placement.uses)
    if needed <= free:
        needed, free = short.needed + short.head_room, short.free
    words = [_round(needed), _round(free)]
    if words[0] == words[1]:
        words = [size_text(needed), size_text(free)]
    return f"too big: needs {words[0]}, {words[1]} are free"


def _round(size: int) -> str:
    return f"{size / 1e9:.0f} GB" if size >= 10e9 else size_text(size)
