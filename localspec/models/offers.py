"""The models among a repository's files: split sets joined, told apart by quantisation.

Names alone: whether a file is a language model at all, its header decides.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from localspec.errors import DownloadFailed, UsageError
from localspec.models.model_file import num_shards, shard_names
from localspec.models.reference import DEFAULT_QUANT, Repo
from localspec.models.selection import size_text

_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
_SET = re.compile(r"-\d{5}(-of-\d{5}\.gguf)$")
_QUANT = re.compile(
    r"(?<![A-Za-z0-9])"
    # What makers put before it stands for another way of quantising: part of the name.
    r"(?:(?:UD|I|i1)[-._])?"
    r"(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|MXFP\d(?:_[A-Z0-9]+)*|NVFP\d(?:_[A-Z0-9]+)*|B?F16|F32|FP16)"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_SELDOM_A_MODEL = re.compile(r"mmproj|imatrix|lora|adapter|vocab|mtp|eagle|dflash", re.IGNORECASE)
_MOST_SHOWN = 40
"""Choices in a sentence; no repository of one model has so many."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as the hub lists it."""

    file: str
    bytes: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be one model: a file, or a split set."""

    parts: tuple[ListedFile, ...]
    """In order; of an incomplete set those that are there."""
    quant: str
    """As its name spells it; empty where it says none."""
    num_missing: int = 0
    """Parts of the set that aren't there."""

    @property
    def file(self) -> str:
        """The first part, which is the one to open."""
        return self.parts[0].file

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)


def offers(files: Iterable[ListedFile]) -> list[Offer]:
    """Those that seldom are models come last, else by size."""
    by_name = {each.file: each for each in files}
    sets: dict[str, list[str]] = {}
    for name in sorted(by_name):
        whole = _SET.sub(r"\1", name) if num_shards(name) > 1 else name
        sets.setdefault(whole, []).append(name)
    found = [_offer([by_name[name] for name in names]) for names in sets.values()]
    return sorted(found, key=lambda offer: (_is_seldom_a_model(offer), offer.bytes, offer.file))


def matching(found: Sequence[Offer], reference: Repo) -> list[Offer]:
    """What the reference may mean; several where only headers can tell which is the model.

    Without a quantisation that is Q4_K_M, or the only model there. Raises UsageError with the
    choices where nothing matches, DownloadFailed where a part of the set is missing.
    """
    if reference.file:
        chosen = [each for each in found if _has(each, reference.file)]
    else:
        chosen = _of_quant(found, reference.quant or DEFAULT_QUANT)
        if not chosen and not reference.quant:
            models = [each for each in found if not _is_seldom_a_model(each)] or list(found)
            chosen = models if len(models) == 1 else []
    if not chosen:
        raise none_fits(found, reference)
    whole = [each for each in chosen if not each.num_missing]
    if not whole:
        raise _incomplete(chosen[0], reference)
    return whole


def same_model(found: Iterable[Offer], one: Offer) -> list[Offer]:
    """The whole ones that are `one` in any quantisation, by their names."""
    return [each for each in found if not each.num_missing and _base(each) == _base(one)]


def none_fits(found: Sequence[Offer], reference: Repo) -> UsageError:
    if not found:
        told = f"{reference.repo} holds no GGUF file."
        return UsageError(told, "Look for the same model in a repository whose name ends in GGUF.")
    if reference.file:
        told = f"{reference.repo} has no {reference.file}."
    elif reference.quant:
        told = f"{reference.repo} has no {reference.quant}."
    else:
        told = f"{reference.repo} has several models and no {DEFAULT_QUANT}."
    return UsageError(told, choices(found))


def _incomplete(offer: Offer, reference: Repo) -> DownloadFailed:
    total, here = len(offer.parts) + offer.num_missing, {part.file for part in offer.parts}
    first = next(name for name in shard_names(offer.file) if name not in here)
    told = (
        f"{reference.repo} holds {len(offer.parts)} of the {total} parts of {stem_of(offer.file)}:"
        f" {first} is missing."
    )
    return DownloadFailed(told, "Choose another quantisation, or another repository.")


def several_fit(fitting: Sequence[Offer], reference: Repo) -> UsageError:
    told = f"{len(fitting)} models of {reference.repo} are {reference.quant or DEFAULT_QUANT}."
    return UsageError(told, choices(fitting))


def choices(found: Sequence[Offer]) -> str:
    """One for each model, with its size: the quantisation where that tells it apart."""
    quants = [each.quant.lower() for each in found]
    named = [
        f"{_choice(each, quants)} ({size_text(each.bytes)})"
        for each in found
        if not each.num_missing
    ]
    if not named:
        return "Every one lacks a part."
    shown, rest = named[:_MOST_SHOWN], len(named) - _MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return f"Choose from: {', '.join(shown)}{more}."


def _choice(offer: Offer, quants: Sequence[str]) -> str:
    alone = quants.count(offer.quant.lower()) == 1 and not _is_seldom_a_model(offer)
    return offer.quant if offer.quant and alone else offer.file


def stem_of(file: str) -> str:
    """A GGUF file's name without folder, extension and part."""
    return _SHARD.sub("", file.rpartition("/")[2][: -len(".gguf")])


def quant_of(file: str) -> str:
    """The last quantisation in the file's name, else in its folders' names; empty for none."""
    for name in reversed(file.split("/")):
        found = _QUANT.findall(_SHARD.sub("", re.sub(r"(?i)\.gguf$", "", name)))
        if found:
            return str(found[-1])
    return ""


def _offer(parts: Sequence[ListedFile]) -> Offer:
    # A name may say that there are 99,999 parts: they are counted, never written out.
    num_missing = num_shards(parts[0].file) - len(parts)
    return Offer(tuple(parts), quant_of(parts[0].file), num_missing)


def _base(offer: Offer) -> str:
    return _QUANT.sub("", stem_of(offer.file)).strip("-._").lower()


def _has(offer: Offer, file: str) -> bool:
    return any(part.file.lower() == file.lower() for part in offer.parts)


def _of_quant(found: Sequence[Offer], quant: str) -> list[Offer]:
    return [each for each in found if each.quant.lower() == quant.lower()]


def _is_seldom_a_model(offer: Offer) -> bool:
    return bool(_SELDOM_A_MODEL.search(offer.file.rpartition("/")[2]))
