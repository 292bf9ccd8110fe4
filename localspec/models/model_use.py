"""What one model takes of each device, with its layers laid out in a given way."""

from collections.abc import Sequence
from dataclasses import dataclass

from localspec.models.compute_memory import (
    Pass,
    graph_bytes,
    inputs_bytes,
    layers_bytes,
    logits_bytes,
    pipeline_bytes,
)
from localspec.models.memory import (
    CPU_CHUNK,
    GPU_CHUNK,
    Cache,
    ModelMemory,
    cache_bytes,
    output_bytes,
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the layers go: the first ones on the CPU, the rest on GPUs in their order."""

    counts: tuple[int, ...]
    """Layers on each GPU; the output is the last layer of all."""
    cpu_experts: int = 0
    """The first layers whose experts stay on the CPU."""

    @property
    def on_gpus(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Taken:
    """Bytes on one device."""

    weights: int = 0
    cache: int = 0
    compute: int = 0

    def __add__(self, other: "Taken") -> "Taken":
        return Taken(
            self.weights + other.weights, self.cache + other.cache, self.compute + other.compute
        )

    @property
    def total(self) -> int:
        return self.weights + self.cache + self.compute


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model and the context that is made of it."""

    memory: ModelMemory
    cache: Cache
    rows: int
    """Rows of logits."""
    flash_attention: bool = True

    def of(self, layout: Layout) -> tuple[Taken, ...]:
        """By GPU, in order; the CPU last."""
        model = self.memory
        on_gpus = layout.on_gpus
        first_on_gpu = model.num_layers - on_gpus
        largest = Pass(GPU_CHUNK if on_gpus else CPU_CHUNK, self.rows, self.flash_attention)
        gpus, start = [], first_on_gpu
        for count in layout.counts:
            gpus.append(self._gpu(layout, range(start, start + count), largest))
            start += count
        return (*gpus, self._cpu(layout, first_on_gpu, largest))

    def _gpu(self, layout: Layout, held: range, largest: Pass) -> Taken:
        if not held:
            return Taken()
        model = self.memory
        layers = model.layers[held.start : held.stop]
        has_output = held.stop == model.num_layers
        weights = sum(
            layer.weights + (0 if index < layout.cpu_experts else layer.experts)
            for index, layer in zip(held, layers, strict=False)
        )
        compute = layers_bytes(model, self.cache, largest) if layers else 0
        if has_output:
            weights += model.output + model.tied
            compute = max(compute, logits_bytes(model, largest))
        if sum(1 for count in layout.counts if count) > 1 and self._all_on(layout):
            compute += pipeline_bytes(model, self.cache, largest)
        if held.start == model.num_layers - layout.on_gpus:
            compute += self._lent(layout, held.start)
        cached = cache_bytes(model, self.cache, self.rows, largest.chunk, layers)
        return Taken(weights, cached, compute)

    def _lent(self, layout: Layout, first_on_gpu: int) -> int:
        """Weights of the CPU's layers that a GPU copies to itself for a large batch, one layer's
        feed-forward part at a time."""
        parts = [layer.weights + layer.experts for layer in self.memory.layers[:first_on_gpu]]
        parts += [layer.experts for layer in self.memory.layers[: layout.cpu_experts]]
        return max(parts, default=0)

    def _cpu(self, layout: Layout, first_on_gpu: int, largest: Pass) -> Taken:
        model = self.memory
        layers = model.layers[:first_on_gpu]
        weights = model.embeddings + sum(layer.weights + layer.experts for layer in layers)
        experts = model.layers[first_on_gpu : layout.cpu_experts]
        weights += sum(layer.experts for layer in experts)
        if layout.on_gpus == 0:
            weights = model.weights
        if layers or experts or layout.on_gpus == 0:
            compute = graph_bytes(model, self.cache, largest)
        else:
            compute = inputs_bytes(model, self.cache, largest)
        compute += output_bytes(model, self.rows)
        return Taken(
            weights, cache_bytes(model, self.cache, self.rows, largest.chunk, layers), compute
        )

    def _all_on(self, layout: Layout) -> bool:
        return layout.on_gpus == self.memory.num_layers and not layout.cpu_experts


def together(parts: Sequence[tuple[Taken, ...]]) -> tuple[Taken, ...]:
    """What several models take, device by device."""
    return tuple(sum(column, Taken()) for column in zip(*parts, strict=True))
