"""Judges one file on this disk as a draft: does it fit, and what may it gain?"""

from __future__ import annotations

from pathlib import Path

from localspec.models.catalog.entries import ModelFile
from localspec.models.compat import broken_rule
from localspec.models.drafts import sizes
from localspec.models.drafts.candidate import Basis, Candidate, Refusal
from localspec.models.drafts.gain import (
    Gain,
    Kinship,
    Machine,
    acceptance_guess,
    estimated_costs,
    expected_gain,
)
from localspec.models.drafts.kinship import drafts_of, lines_of, sizes_agree
from localspec.models.drafts.sizes import Size
from localspec.models.drafts.target import Target
from localspec.models.model_file import ModelFacts


def judge(target: Target, facts: ModelFacts, machine: Machine) -> Candidate | Refusal:
    """One file, here or by its header on the hub, against the target, whatever it would gain."""
    name = facts.path.name
    path = facts.path if facts.path.is_file() else None
    where = "disk" if path else "hub"
    rule = _broken_rule(target, facts)
    if rule:
        return Refusal(name, where, rule, path)
    draft = sizes.of_facts(facts)
    if _is_as_large(target.size, draft):
        told = "as large as the target, so it can't be faster"
        return Refusal(name, where, told, path)
    known = _catalog_file(target, name, facts.file_bytes)
    return Candidate(
        name=name.removesuffix(".gguf"),
        quant=facts.quant,
        file_bytes=facts.file_bytes,
        ratio=sizes.bytes_ratio(target.size, draft),
        gain=gain_of(target, path, draft, _kinship(target, facts, known), machine),
        basis=_basis(target, known),
        path=path,
        in_use=path is not None and path == target.draft,
    )


def _basis(target: Target, known: ModelFile | None) -> Basis:
    if target.facts:
        return "header"
    return "listed" if known else "name"


def gain_of(
    target: Target, path: Path | None, draft: Size, kinship: Kinship, machine: Machine
) -> Gain | None:
    share = sizes.parameters_ratio(target.size, draft)
    acceptance = acceptance_guess(share, kinship)
    timed = machine.timed(target.path, path) if target.path and path else None
    if timed is not None and timed.has_draft:
        return expected_gain(timed, acceptance, is_measured=True)
    ratio = sizes.bytes_ratio(target.size, draft)
    if ratio is None:
        return None
    costs = estimated_costs(ratio, machine.shape)
    return expected_gain(costs, acceptance, is_measured=False)


def _broken_rule(target: Target, facts: ModelFacts) -> str:
    if target.facts:
        return broken_rule(target.facts.vocabulary, facts.vocabulary)
    if _catalog_file(target, facts.path.name, facts.file_bytes):
        return ""
    if not sizes_agree(target.n_vocab, len(facts.vocabulary)):
        sides = f"target {target.n_vocab}, draft {len(facts.vocabulary)}"
        return f"vocabulary sizes are more than 128 apart ({sides})"
    if lines_of(facts.path.name, facts.name) & target.lines:
        return ""
    return "another family of tokenizers, by its name"


def _kinship(target: Target, facts: ModelFacts, known: ModelFile | None) -> Kinship:
    if known is not None:
        return "paired"
    if target.facts is None:
        return "family"
    make = target.facts.parts[0].text("general.basename").lower()
    if make and make == facts.parts[0].text("general.basename").lower():
        return "paired"
    return "family" if target.facts.architecture == facts.architecture else "stranger"


def _catalog_file(target: Target, name: str, size: int) -> ModelFile | None:
    """A draft that the target's own entry lists, if the file is it."""
    files = drafts_of(target.entry) if target.entry else ()
    return next((each for each in files if each.file == name and each.bytes in (None, size)), None)


def _is_as_large(target: Size, draft: Size) -> bool:
    ratio = sizes.bytes_ratio(target, draft)
    return ratio is not None and ratio >= 1.0
