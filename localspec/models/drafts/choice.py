"""The best draft of a target, with the reason in a sentence: what a pull or `add` would take."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.models.drafts.candidate import BASIS_WORDS, Candidate, Found
from localspec.models.drafts.gain import ANY_MACHINE, Machine
from localspec.models.drafts.search import search
from localspec.models.drafts.target import Target, of_facts
from localspec.models.model_file import ModelFacts, ReadModel, read_model
from localspec.models.selection import Wanted, size_text, wanted_parts


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """`wanted` are the files to fetch, empty where the draft lies on this disk already: `path`."""

    candidate: Candidate
    reason: str

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        file = self.candidate.file
        return tuple(wanted_parts("draft", file)) if file else ()


def best_draft(
    target: ModelFacts | Target,
    machine: Machine = ANY_MACHINE,
    *,
    on_disk_only: bool = False,
    read: ReadModel = read_model,
) -> DraftChoice | None:
    """None where nothing pays. Reads the headers of this disk's GGUF files, 50 ms each."""
    sought = target if isinstance(target, Target) else of_facts(target)
    looking = search(sought, machine, read)
    while True:
        try:
            next(looking)
        except StopIteration as end:
            return choose(end.value, on_disk_only=on_disk_only)


def choose(found: Found, *, on_disk_only: bool = False) -> DraftChoice | None:
    for candidate in found.fitting:
        if candidate.gain and candidate.gain.pays and (candidate.path or not on_disk_only):
            return DraftChoice(candidate, _reason(candidate))
    return None


def _reason(candidate: Candidate) -> str:
    assert candidate.gain is not None
    gain = candidate.gain
    size = size_text(candidate.file_bytes) if candidate.file_bytes else "size unknown"
    how = "by times measured here" if gain.is_measured else "by an estimate"
    return (
        f"{candidate.name} ({candidate.quant}, {size}) drafts for it:"
        f" {BASIS_WORDS[candidate.basis]}, and it gains {gain.speedup:.1f}x {how}."
    )
