"""Decides what goes where: the draft first, then as much of the target as the GPUs hold.

1. The draft goes wholly on the GPU with the most free memory, or stays on the CPU.
2. The target goes wholly on one GPU, else on several.
3. Where that is too much, the experts of a mixture move to the system's memory, its first layers'
   first; then whole layers stay on the CPU.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from localspec.models.memory import DRAFT_ROWS, TARGET_ROWS, Cache, ModelMemory
from localspec.models.model_use import Layout, ModelUse, Taken, together
from localspec.models.placement import CPU, DeviceUse, MemoryOf, Placement, apart, shared
from localspec.models.placement_words import reason

_GPU_ROOM, _CPU_ROOM = 400_000_000, 500_000_000
_ROOM_SHARE = 0.05
_COARSE_BLOCK = 32
_STEPS = 24
"""Of the search for an even load."""


def head_room(device: MemoryOf) -> int:
    """Bytes left free: for the driver, kernels' scratch space, and other programs."""
    least = _CPU_ROOM if device.kind == "cpu" else _GPU_ROOM
    return max(least, int(_ROOM_SHARE * device.total))


def _room(device: MemoryOf) -> int:
    """Bytes for models."""
    return device.free - head_room(device)


def plan(
    target: ModelMemory,
    draft: ModelMemory | None,
    devices: Sequence[MemoryOf],
    n_ctx: int,
    cache_type_k: str = "f16",
    cache_type_v: str = "f16",
    flash_attention: bool = True,
) -> Placement:
    """The best placement on these devices, of which the CPU is one; `fits` is false when there is
    none. Pure: nothing is asked of the machine."""
    cache = Cache(n_ctx, cache_type_k, cache_type_v)
    main = ModelUse(target, cache, TARGET_ROWS, flash_attention)
    planner = _Planner(main, draft, *apart(devices))
    draft_gpu = planner.draft_gpu()
    layout = planner.layout(draft_gpu)
    return planner.placement(layout, draft_gpu)


def uses_by_model(
    target: ModelMemory,
    draft: ModelMemory | None,
    devices: Sequence[MemoryOf],
    placement: Placement,
) -> dict[str, dict[str, Taken]]:
    """What the target and the draft take apart: by role, then by device."""
    cache = Cache(placement.n_ctx, placement.cache_type_k, placement.cache_type_v)
    main = ModelUse(target, cache, TARGET_ROWS, placement.flash_attention)
    shares = placement.tensor_split or (float(placement.target_layers),)
    held = dict(zip(placement.devices, map(int, shares), strict=False))
    planner = _Planner(main, draft, *apart(devices))
    gpus = planner.gpus
    layout = planner.laid([held.get(gpu.name, 0) for gpu in gpus], placement.cpu_experts)
    on = (
        [gpu.name for gpu in gpus].index(placement.draft_device) if placement.draft_layers else None
    )
    names = [*(gpu.name for gpu in gpus), CPU]
    return {
        "target": dict(zip(names, main.of(layout), strict=True)),
        "draft": dict(zip(names, planner.draft_taken(on), strict=True)),
    }


@dataclass(frozen=True, slots=True)
class _Planner:
    target: ModelUse
    draft: ModelMemory | None
    gpus: list[MemoryOf]
    cpu: MemoryOf

    def draft_gpu(self) -> int | None:
        """The GPU that holds the whole draft, by index."""
        if self.draft is None or not self.gpus:
            return None
        index = max(range(len(self.gpus)), key=lambda each: _room(self.gpus[each]))
        taken = self.draft_taken(index)[index].total
        return index if taken <= _room(self.gpus[index]) else None

    def layout(self, draft_gpu: int | None) -> Layout:
        """The one with the most on the GPUs."""
        total, num_blocks = self.target.memory.num_layers, len(self.target.memory.layers)
        on_cpu = self.laid((0,) * len(self.gpus))
        if not self.gpus:
            return on_cpu
        whole = self._balanced(total, 0, draft_gpu)
        if whole is not None:
            return whole
        experts = 0
        if self.target.memory.num_experts:
            experts = _least(
                num_blocks, lambda count: self._spread(total, count, draft_gpu) is not None
            )
            found = self._balanced(total, experts, draft_gpu)
            if found is not None:
                return found
        layers = total - _least(
            total, lambda fewer: self._spread(total - fewer, experts, draft_gpu) is not None
        )
        return self._balanced(layers, experts, draft_gpu) or on_cpu

    def _balanced(self, layers: int, experts: int, draft_gpu: int | None) -> Layout | None:
        """With several GPUs each filled to about the same share."""
        found = self._spread(layers, experts, draft_gpu)
        if found is None or sum(1 for count in found.counts if count) < 2:
            return found

        def at(step: int) -> Layout | None:
            return self._filled(layers, experts, draft_gpu, step / _STEPS)

        least = _least(_STEPS, lambda step: at(step) is not None)
        return at(least) or found

    def _spread(self, layers: int, experts: int, draft_gpu: int | None) -> Layout | None:
        """This many layers on one GPU, else on several, each filled before the next; None when
        they don't fit."""
        order = sorted(range(len(self.gpus)), key=lambda each: -_room(self.gpus[each]))
        for index in order:
            alone = self.laid(_one(len(self.gpus), index, layers), experts)
            if self._gpus_fit(alone, draft_gpu):
                return alone
        return self._filled(layers, experts, draft_gpu)

    def _filled(
        self, layers: int, experts: int, draft_gpu: int | None, share: float = 1.0
    ) -> Layout | None:
        """Each GPU to this share of what it has free."""
        counts = [0] * len(self.gpus)
        for index in range(len(self.gpus)):
            left = layers - sum(counts)

            def holds(fewer: int, index: int = index, left: int = left) -> bool:
                # What this GPU doesn't hold stands behind it: so its layers are the right ones.
                trial = self.laid((*counts[:index], left - fewer, fewer), experts)
                taken = self.target.of(trial)[index] + self.draft_taken(draft_gpu)[index]
                gpu = self.gpus[index]
                return taken.total + head_room(gpu) <= share * gpu.free

            counts[index] = left - _least(left, holds)
        full = self.laid(tuple(counts), experts)
        return full if sum(counts) == layers and self._gpus_fit(full, draft_gpu) else None

    def _gpus_fit(self, layout: Layout, draft_gpu: int | None) -> bool:
        taken = self._taken(layout, draft_gpu)
        # One that takes nothing may be full: others' programs are no reason to leave it all.
        return all(
            each.total <= _room(gpu)
            for gpu, each in zip(self.gpus, taken, strict=False)
            if each.total
        )

    def laid(self, counts: Sequence[int], experts: int = 0) -> Layout:
        return Layout(tuple(counts), experts, copies=any(gpu.kind != "rpc" for gpu in self.gpus))

    def _taken(self, layout: Layout, draft_gpu: int | None) -> tuple[Taken, ...]:
        return together([self.target.of(layout), self.draft_taken(draft_gpu)])

    def draft_taken(self, gpu: int | None) -> tuple[Taken, ...]:
        if self.draft is None:
            return (Taken(),) * (len(self.gpus) + 1)
        layers = 0 if gpu is None else self.draft.num_layers
        layout = self.laid(_one(len(self.gpus), gpu or 0, layers))
        return ModelUse(
            self.draft,
            draft_cache(self.draft, self.target.cache.n_ctx, on_gpu=gpu is not None),
            DRAFT_ROWS,
            self.target.flash_attention,
        ).of(layout)

    def placement(self, layout: Layout, draft_gpu: int | None) -> Placement:
        taken = self._taken(layout, draft_gpu)
        uses = tuple(
            DeviceUse(
                device.name,
                each.weights,
                each.cache,
                each.compute,
                head_room(device),
                device.free,
                shared=device.kind == "igpu",
            )
            for device, each in zip([*self.gpus, self.cpu], taken, strict=True)
            if each.total
        )
        holding = [
            (gpu.name, count) for gpu, count in zip(self.gpus, layout.counts, strict=True) if count
        ]
        fits = all(use.fits for use in (*uses, *shared(uses)))
        cache = self.target.cache
        placed = Placement(
            target_layers=layout.on_gpus,
            draft_layers=self.draft.num_layers if self.draft and draft_gpu is not None else 0,
            devices=tuple(name for name, _ in holding),
            tensor_split=tuple(float(count) for _, count in holding) if len(holding) > 1 else (),
            draft_device=self._draft_device(draft_gpu),
            cpu_experts=layout.cpu_experts if layout.on_gpus else 0,
            n_ctx=cache.n_ctx,
            cache_type_k=cache.type_k,
            cache_type_v=cache.type_v,
            flash_attention=self.target.flash_attention,
            uses=uses,
            fits=fits,
            reason="",
        )
        return replace(placed, reason=reason(placed, self.target.memory.num_layers))

    def _draft_device(self, draft_gpu: int | None) -> str:
        if self.draft is None:
            return ""
        return CPU if draft_gpu is None else self.gpus[draft_gpu].name


def draft_cache(draft: ModelMemory, n_ctx: int, *, on_gpu: bool) -> Cache:
    """On a CPU a draft's cache is kept in 8 bits, where its heads allow that."""
    widths = draft.widths
    head = widths.q_width // widths.n_head if widths.n_head else 0
    coarse = not on_gpu and head > 0 and head % _COARSE_BLOCK == 0
    kind = "q8_0" if coarse else "f16"
    return Cache(n_ctx, kind, kind)


def _one(length: int, index: int, count: int) -> tuple[int, ...]:
    return tuple(count if each == index else 0 for each in range(length))


def _least(most: int, works: Callable[[int], bool]) -> int:
    """The least number up to `most` that works, where every larger one works as well; `most` when
    none is known to."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle + 1
    return low
