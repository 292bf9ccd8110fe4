"""What the list of models says of a pair, and what stands below it about the chosen one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from localspec.models.fit_verdict import FitVerdict
from localspec.models.selection import size_text
from localspec.models.shelf import ShelfModel, ShelfPair

MISSING = "files are gone"

if TYPE_CHECKING:
    from localspec.models.examining import Examined, Verdict


def parameters(pair: ShelfPair) -> str:
    """As `70.6B + 1.2B`; a target alone as `12B no draft`."""
    target = _billions(pair.target.params_b)
    if pair.draft is None:
        return f"{target} no draft".strip()
    return f"{target} + {_billions(pair.draft.params_b) or 'draft'}" if target else ""


def quants(pair: ShelfPair, verdict: FitVerdict | None) -> str:
    """What is here, or what a pull takes."""
    target = pair.target.quant
    if pair.state == "absent" and verdict and verdict.quant:
        target = verdict.quant
    draft = pair.draft.quant if pair.draft else ""
    return " + ".join(dict.fromkeys(filter(None, (target, draft))))


def where(pair: ShelfPair, verdict: FitVerdict | None) -> str:
    if pair.state == "ready":
        return f"on disk {size_text(pair.bytes)}"
    if pair.state == "partial":
        share = pair.present_bytes * 100 // pair.bytes if pair.bytes else 0
        return f"{min(99, share)}% of {size_text(pair.bytes)}"
    return MISSING if pair.state == "missing" else f"to pull {pull_size(pair, verdict)}"


def pull_size(pair: ShelfPair, verdict: FitVerdict | None) -> str:
    """Of what is to be fetched; `~` where it is reckoned."""
    if pair.state == "partial" and pair.bytes:
        return size_text(pair.bytes - pair.present_bytes)
    if verdict is not None and verdict.bytes:
        exact = pair.is_exact and verdict.bytes == pair.bytes
        return ("" if exact else "~") + size_text(verdict.bytes)
    return ("" if pair.is_exact or pair.bytes is None else "~") + size_text(pair.bytes)


def pair_lines(pair: ShelfPair, verdict: FitVerdict | None) -> Iterator[str]:
    """Everything about a pair; what matters most comes first."""
    n_ctx = verdict.n_ctx_train if verdict else None
    n_ctx = n_ctx or (pair.entry.target.ctx_train if pair.entry else None)
    gated = pair.entry is not None and pair.entry.gated
    parts = [
        pair.name,
        f"licence {pair.license or 'not told'}" + (", to be accepted on the hub" if gated else ""),
        f"context {n_ctx:,}" if n_ctx else "",
    ]
    yield " · ".join(filter(None, parts))
    for model in pair.models:
        yield _model_line(model)
    if pair.draft is None:
        yield f"draft   {pair.no_draft or 'none'}"
    yield f"fit     {verdict.detail if verdict else 'being reckoned'}"
    name = shlex.quote(pair.name)
    yield f"more    localspec show {name}, also: fit, drafts"
    if pair.entry and pair.entry.aliases:
        yield f"also    {', '.join(pair.entry.aliases)}"
    if pair.draft and pair.entry and pair.entry.compat:
        yield f"pair    {pair.entry.compat}"


def checked_lines(verdict: Verdict) -> Iterator[str]:
    """What the headers on the hub tell of a place."""
    access = ", to be accepted on the hub" if verdict.gated else ""
    yield f"{verdict.name} · licence {verdict.license}{access}"
    yield _examined_line(verdict.target)
    if verdict.draft is not None:
        yield _examined_line(verdict.draft)
        if not verdict.misfit:
            reason = f"; {verdict.draft_reason}" if verdict.draft_reason else ""
            yield f"        the tokenizers match{reason}"
    if verdict.notice:
        yield f"draft   {verdict.notice}"
    if verdict.refusal:
        yield f"refused {verdict.refusal}"
    elif verdict.placement is not None:
        yield f"fit     {verdict.placement.reason}"


def _model_line(model: ShelfModel) -> str:
    size = ("" if model.is_exact else "~") + size_text(model.bytes)
    of = f" of {model.repo}" if model.repo else ""
    return f"{model.role:<7} {model.file}{of}, {size}"


def _examined_line(model: Examined) -> str:
    first = model.files[0]
    here = "" if model.missing_bytes else ", on this disk"
    return f"{model.role:<7} {first.file} of {first.repo}, {size_text(model.bytes)}{here}"


def _billions(count: float | None) -> str:
    if not count:
        return ""
    return f"{count:.3g}B" if count >= 1 else f"{count * 1000:.3g}M"
