"""What a model's header says about its attention: what a cache must be able to hold."""

from __future__ import annotations

from localspec.models.model_file import ModelFacts

_SIZES = ("key_length", "value_length", "key_length_swa", "value_length_swa")
_SHARED_CACHE = frozenset({"deepseek4"})


def head_dims(facts: ModelFacts) -> frozenset[int]:
    """All sizes of a head's keys and values, in numbers."""
    header, prefix = facts.parts[0], f"{facts.architecture}.attention"
    found: set[int] = set()
    for name in _SIZES:
        value = header.values.get(f"{prefix}.{name}")
        sizes = value if isinstance(value, tuple) else (value,)
        found |= {size for size in sizes if isinstance(size, int) and size > 0}
    heads = header.integer(f"{prefix}.head_count")
    if f"{prefix}.key_length" not in header.values and heads and facts.n_embd:
        found.add(facts.n_embd // heads)
    return frozenset(found)


def keeps_together(facts: ModelFacts) -> bool:
    """Whether keys and values share one cache (MLA), which then has one type."""
    header, prefix = facts.parts[0], f"{facts.architecture}.attention"
    is_mla = all(header.integer(f"{prefix}.{name}_mla") for name in ("key_length", "value_length"))
    return is_mla or facts.architecture in _SHARED_CACHE


def is_mixture(facts: ModelFacts) -> bool:
    """Whether it has experts, of which a token uses a few."""
    return any(
        "_exps." in name or "_chexps." in name for part in facts.parts for name in part.tensors
    )
