"""What `localspec check` found, in words and as an object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localspec.models.examining import Examined, Verdict


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """A paragraph for each model, then what a pull needs, then whether it can be done."""
    from localspec.cli.header_words import fit_text, memory_text
    from localspec.models.selection import size_text

    yield f"{verdict.name} (licence: {verdict.license}{_access(verdict)})"
    yield from _model_lines(verdict.target)
    if verdict.draft is not None:
        yield from _model_lines(verdict.draft)
        yield f"  pair    {fit_text(verdict.misfit, verdict.draft_reason)}"
        if verdict.notice:
            yield f"          {verdict.notice}"
    elif verdict.notice:
        yield f"  draft   {verdict.notice}"
    else:
        yield "  draft   none"
    free = size_text(verdict.free_bytes)
    need = f"{size_text(verdict.missing_bytes)} to fetch" if verdict.missing_bytes else "all here"
    yield f"  disk    {need}; {free} free"
    if verdict.placement is not None:
        yield f"  memory  {memory_text(verdict.placement)}"


def _access(verdict: Verdict) -> str:
    return ", gated: its licence must be accepted on the hub" if verdict.gated else ""


def _model_lines(model: Examined) -> Iterator[str]:
    from localspec.cli.header_words import header_texts
    from localspec.models.selection import size_text

    first = model.files[0]
    parts = f" in {len(model.files)} files" if len(model.files) > 1 else ""
    yield f"  {model.role:<7} {first.file}{f' of {first.repo}' if first.repo else ''}"
    yield f"          {model.quant}, {size_text(model.bytes)}{parts}, {_presence(model)}"
    for text in header_texts(model.header):
        yield f"          {text}"


def _presence(model: Examined) -> str:
    if not model.missing_bytes:
        return "on this disk"
    return "not on this disk" if model.missing_bytes == model.bytes else "partly on this disk"


def verdict_object(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "ok": not verdict.refusal,
        "refusal": verdict.refusal,
        "license": verdict.license,
        "gated": verdict.gated,
        "target": _model_object(verdict.target),
        "draft": _model_object(verdict.draft) if verdict.draft else None,
        "pair_fits": not verdict.misfit if verdict.draft else None,
        "draft_reason": verdict.draft_reason if verdict.draft else "",
        "notice": verdict.notice,
        "missing_bytes": verdict.missing_bytes,
        "free_bytes": verdict.free_bytes,
        "memory": asdict(verdict.placement) if verdict.placement else None,
    }


def _model_object(model: Examined) -> dict[str, Any]:
    return {
        "repo": model.files[0].repo,
        "revision": model.files[0].revision,
        "files": [{"file": each.file, "bytes": each.bytes} for each in model.files],
        "quant": model.quant,
        "bytes": model.bytes,
        "missing_bytes": model.missing_bytes,
    } | asdict(model.header)
