"""Looks for drafts of a target on the disk and in the catalog; every header is read once."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from localspec.errors import BrokenModelFile
from localspec.models.drafts import disk
from localspec.models.drafts.candidate import Candidate, Found, Refusal
from localspec.models.drafts.gain import Machine
from localspec.models.drafts.judging import judge
from localspec.models.drafts.offers import head_refusals, offers
from localspec.models.drafts.target import Target
from localspec.models.model_file import ReadModel, read_model
from localspec.models.selection import size_text


@dataclass(frozen=True, slots=True)
class Looking:
    """How many of the files were read."""

    done: int
    total: int


def search(
    target: Target, machine: Machine, read: ReadModel = read_model
) -> Generator[Looking, None, Found]:
    """Yields after each file. Raises nothing for a candidate: what can't be read is refused."""
    files = disk.gguf_files(target.path)
    results: list[Candidate | Refusal | None] = []
    broken: list[Refusal] = []
    for number, path in enumerate(files, 1):
        try:
            results.append(_on_disk(target, path, machine, read))
        except BrokenModelFile as error:
            broken.append(Refusal(path.name, "disk", _without(path, error), path))
        except OSError as error:
            told = f"can't be read: {error.strerror or error}"
            broken.append(Refusal(path.name, "disk", told, path))
        yield Looking(number, len(files))
    found = [each for each in results if isinstance(each, Candidate)]
    found += offers(target, machine, [path.name for path in files])
    refused = [each for each in results if isinstance(each, Refusal)]
    refused += [_cannot_pay(each) for each in found if _is_hopeless(each)]
    refused += head_refusals(target)
    fitting = [each for each in found if not _is_hopeless(each)]
    fitting.sort(key=lambda each: (-round(each.worth, 2), each.basis == "name", each.path is None))
    return Found(tuple(fitting), tuple(refused), tuple(broken))


def _on_disk(
    target: Target, path: Path, machine: Machine, read: ReadModel
) -> Candidate | Refusal | None:
    """None for the target itself. What is larger is refused without reading it."""
    size, limit = path.stat().st_size, target.size.file_bytes
    if target.path is not None and path.samefile(target.path):
        return None
    if limit and size > limit:
        told = f"{size_text(size)}, larger than the target's {size_text(limit)}"
        return Refusal(path.name, "disk", told, path)
    return judge(target, read(path), machine)


def _is_hopeless(candidate: Candidate) -> bool:
    """Fits, and couldn't pay even on an easy text. What is in use is shown all the same."""
    return not candidate.in_use and candidate.gain is not None and not candidate.gain.can_pay


def _cannot_pay(candidate: Candidate) -> Refusal:
    gain, ratio = candidate.gain, candidate.ratio or 0.0
    how = "measured here" if gain and gain.is_measured else "an estimate"
    told = f"fits, but can't pay even on an easy text: {ratio:.0%} of the target's bytes a step"
    where = "disk" if candidate.path else "catalog"
    return Refusal(candidate.name, where, f"{told} ({how})", candidate.path)


def _without(path: Path, error: BrokenModelFile) -> str:
    """The sentence about a file that is named beside it."""
    told = error.message.removeprefix(f"{path} ").rstrip(".")
    return told.removeprefix("is ")
