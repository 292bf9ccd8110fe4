"""How large a model is, as far as the speed of a pass hangs on it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from localspec.models.catalog.entries import ModelFile
from localspec.models.gguf_header import GgufHeader
from localspec.models.model_file import ModelFacts

_EXPERTS = re.compile(r"_exps\.")
_ACTIVE = re.compile(r"-A(\d+(?:\.\d+)?)B", re.IGNORECASE)
"""What a mixture's name says: Qwen3-30B-A3B has three billion active parameters."""

_BITS = {
    "F32": 32.0,
    "F16": 16.0,
    "BF16": 16.0,
    "Q8_0": 8.5,
    "Q6_K": 6.6,
    "Q5_K_M": 5.7,
    "Q4_K_M": 4.85,
    "Q4_0": 4.6,
}
"""Of a weight, as whole files come out; for entries that don't know their file's size."""
_OTHER_BITS = 4.85


@dataclass(frozen=True, slots=True)
class Size:
    """Certain only of a file that was read."""

    file_bytes: int | None
    pass_bytes: float | None
    """Weights that a pass of one token reads."""
    parameters: float | None


def of_facts(facts: ModelFacts) -> Size:
    parameters = sum(part.num_parameters for part in facts.parts)
    return Size(facts.file_bytes, _pass_bytes(facts), float(parameters) or None)


def of_file(file: ModelFile) -> Size:
    """By the catalog: the size of its file, else its parameters at that quantisation."""
    parameters = file.params_b * 1e9 if file.params_b else None
    parts = [file.bytes, *(shard.bytes for shard in file.shards)]
    known = sum(part or 0 for part in parts) if all(parts) else None
    read: float | None = known
    if read is None and parameters:
        read = parameters * _BITS.get((file.quant or "").upper(), _OTHER_BITS) / 8
    named = _ACTIVE.search(f"{file.base_model or ''} {file.file}")
    if read and named and file.params_b:
        read *= min(1.0, float(named[1]) / file.params_b)
    return Size(known, read, parameters)


def bytes_ratio(target: Size, draft: Size) -> float | None:
    """Of the bytes that a pass reads; None where a size isn't known."""
    if target.pass_bytes and draft.pass_bytes:
        return draft.pass_bytes / target.pass_bytes
    return None


def parameters_ratio(target: Size, draft: Size) -> float | None:
    """Of the parameters, else of the bytes."""
    if target.parameters and draft.parameters:
        return draft.parameters / target.parameters
    return bytes_ratio(target, draft)


def _pass_bytes(facts: ModelFacts) -> float:
    """Without the rows of the input embedding that aren't looked up, and the idle experts."""
    header = facts.parts[0]
    used = _active_share(header, facts.architecture)
    names = {name for part in facts.parts for name in part.tensors}
    total = 0.0
    for part in facts.parts:
        for name, tensor in part.tensors.items():
            # A tied embedding is read whole, as the output.
            if name == "token_embd.weight" and "output.weight" in names:
                continue
            total += tensor.bytes * (used if _EXPERTS.search(name) else 1.0)
    # Tensors of an unknown type have no size here.
    return total or float(facts.file_bytes)


def _active_share(header: GgufHeader, architecture: str) -> float:
    count = header.integer(f"{architecture}.expert_count") or 0
    used = header.integer(f"{architecture}.expert_used_count") or 0
    return used / count if 0 < used <= count else 1.0
