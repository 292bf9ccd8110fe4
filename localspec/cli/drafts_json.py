"""What a search for drafts found, as objects of `--json`. Bytes, shares, and ratios of speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localspec.cli.drafts_words import WITHOUT_A_MODEL

if TYPE_CHECKING:
    from localspec.models.drafts.candidate import Candidate, Found, Refusal
    from localspec.models.drafts.gain import Machine
    from localspec.models.drafts.target import Target


def found_object(target: Target, found: Found, machine: Machine) -> dict[str, Any]:
    return {
        "target": _target(target),
        "drafts": [_candidate(each) for each in found.fitting],
        "refused": [_refusal(each) for each in (*found.refused, *found.others)],
        "estimates_from": machine.shape_from,
        "reported": list(target.entry.measured) if target.entry else [],
        "without_a_draft_model": [
            {"name": name, "works": works, "what": what} for name, works, what in WITHOUT_A_MODEL
        ],
    }


def judged_object(target: Target, judged: Candidate | Refusal) -> dict[str, Any]:
    from localspec.models.drafts.candidate import Refusal

    fits = not isinstance(judged, Refusal)
    told = _refusal(judged) if isinstance(judged, Refusal) else _candidate(judged)
    return {"target": _target(target), "fits": fits} | told


def _target(target: Target) -> dict[str, Any]:
    return {
        "name": target.name,
        "path": str(target.path) if target.path else None,
        "quant": target.quant,
        "bytes": target.size.file_bytes,
        "n_vocab": target.n_vocab,
        "draft": str(target.draft) if target.draft else None,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    from dataclasses import asdict

    file = candidate.file
    return {
        "name": candidate.name,
        "quant": candidate.quant,
        "bytes": candidate.file_bytes,
        "ratio": candidate.ratio,
        "gain": asdict(candidate.gain) if candidate.gain else None,
        "basis": candidate.basis,
        "where": "disk" if candidate.path else "catalog",
        "path": str(candidate.path) if candidate.path else None,
        "repo": file.repo if file else None,
        "file": file.file if file else None,
        "in_use": candidate.in_use,
    }


def _refusal(refusal: Refusal) -> dict[str, Any]:
    return {
        "name": refusal.name,
        "where": refusal.where,
        "path": str(refusal.path) if refusal.path else None,
        "reason": refusal.reason,
    }
