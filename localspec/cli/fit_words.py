"""What `localspec fit` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from localspec.cli import table
from localspec.models import catalog
from localspec.models.candidates import Candidate, Candidates
from localspec.models.fit import Row, split_cache_type
from localspec.models.placement import CPU, DeviceUse, MemoryOf, Placement
from localspec.models.placement_words import legend, machine_words, short
from localspec.models.placing import plan
from localspec.models.selection import size_text


@dataclass(frozen=True, slots=True)
class Parts:
    """One quantisation at one context, device by device."""

    candidate: Candidate
    placement: Placement

    @classmethod
    def of(
        cls,
        candidates: Candidates,
        quant: str,
        devices: Sequence[MemoryOf],
        n_ctx: int,
        cache_type: str,
    ) -> Parts:
        candidate = next(each for each in candidates.targets if each.quant == quant)
        keys, values = split_cache_type(cache_type)
        return cls(
            candidate, plan(candidate.memory, candidates.draft, devices, n_ctx, keys, values)
        )


def lines(
    candidates: Candidates, devices: tuple[MemoryOf, ...], rows: Sequence[Row], parts: Parts
) -> Iterator[str]:
    draft = "no draft"
    if candidates.draft is not None:
        draft = f"draft {candidates.draft_quant} {size_text(candidates.draft_bytes)}"
    yield f"{candidates.name}, {draft}"
    yield f"on {machine_words(devices)}"
    yield ""
    head = ["QUANT", "SIZE", *(context_text(each.n_ctx) for each in rows[0].placements)]
    body = [_row(row) for row in rows]
    yield from table.lines(head, body)
    yield from legend(" ".join(cell for line in body for cell in line[2:]))
    yield ""
    yield from _part_lines(parts)
    if not parts.placement.fits:
        yield _instead(candidates, rows)
    if note := _note(candidates):
        yield ""
        yield note


def _row(row: Row) -> list[str]:
    candidate = row.candidate
    mark = "~" if candidate.origin == "usual" else ""
    total = candidate.memory.num_layers
    cells = [_cell(placement, total) for placement in row.placements]
    return [mark + candidate.quant, size_text(candidate.file_bytes), *cells]


def _cell(placement: Placement, num_layers: int) -> str:
    words = short(placement, num_layers)
    if not placement.fits:
        return words
    return f"{words} {size_text(sum(use.needed for use in placement.uses))}"


def _part_lines(parts: Parts) -> Iterator[str]:
    placement = parts.placement
    yield f"{parts.candidate.quant} with a context of {placement.n_ctx}: {placement.reason}"
    head = ("DEVICE", "WEIGHTS", "CACHE", "COMPUTE", "TOTAL", "KEPT FREE", "FREE")
    yield from table.lines(head, [_use_row(use) for use in placement.uses])


def _instead(candidates: Candidates, rows: Sequence[Row]) -> str:
    """The rows begin with the largest quantisation, so with the best one."""
    for row in rows:
        fitting = [each.n_ctx for each in row.placements if each.fits]
        if fitting:
            told = f"The best that fits is {row.candidate.quant}, with a context of {max(fitting)}"
            return f"{told}{_how_to_get(candidates, row.candidate)}."
    return "Nothing of it fits here: `localspec recommend` names models that do."


def _how_to_get(candidates: Candidates, candidate: Candidate) -> str:
    in_catalog = catalog.find(candidates.name) is not None
    if candidate.origin == "disk" or not candidates.repo:
        return ""
    if in_catalog:
        return f": localspec pull {candidates.name} --quant {candidate.quant}"
    return f": localspec pull {candidates.repo}:{candidate.quant}"


def _use_row(use: DeviceUse) -> list[str]:
    sizes = (use.weights, use.cache, use.compute, use.needed, use.head_room, use.free)
    return ["memory" if use.name == CPU else use.name, *map(size_text, sizes)]


def _note(candidates: Candidates) -> str:
    notes = []
    if any(each.origin == "usual" for each in candidates.targets):
        what = f"; {candidates.repo} may hold it" if candidates.repo else ""
        notes.append(f"~ reckoned by its bits{what}.")
    scaled = {each.origin for each in candidates.targets if not each.memory.exact}
    if "catalog" in scaled:
        notes.append("By the catalog's numbers; once pulled, by the files' headers.")
    if "hub" in scaled:
        notes.append(f"{candidates.default} by its header, the others by their sizes.")
    return " ".join(notes)


def context_text(n_ctx: int) -> str:
    """`8k`, or the number itself."""
    return f"{n_ctx // 1024}k" if n_ctx % 1024 == 0 else str(n_ctx)


def as_json(
    candidates: Candidates, devices: Sequence[MemoryOf], rows: Sequence[Row], parts: Parts
) -> str:
    return json.dumps(
        {
            "name": candidates.name,
            "draft": None
            if candidates.draft is None
            else {"quant": candidates.draft_quant, "file_bytes": candidates.draft_bytes},
            "devices": [asdict(device) for device in devices],
            "default": candidates.default,
            "shown": _placed(parts.placement) | {"quant": parts.candidate.quant},
            "quants": [_quant(row) for row in rows],
        }
    )


def _quant(row: Row) -> dict[str, Any]:
    return {
        "quant": row.candidate.quant,
        "file_bytes": row.candidate.file_bytes,
        "origin": row.candidate.origin,
        "exact": row.candidate.memory.exact,
        "layers": row.candidate.memory.num_layers,
        "contexts": [_placed(placement) for placement in row.placements],
    }


def _placed(placement: Placement) -> dict[str, Any]:
    uses = [asdict(use) | {"needed": use.needed} for use in placement.uses]
    return asdict(placement) | {"uses": uses}
