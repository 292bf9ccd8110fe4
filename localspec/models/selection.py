"""Which files a pull fetches: the entry's own, or another quantisation that it lists."""

from collections.abc import Iterator
from dataclasses import dataclass

from localspec.errors import UsageError
from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.model_file import shard_names
from localspec.models.records import Role

_HEAD_NOTICE = (
    "{name} has a built-in or separate {kind} head, which localspec can't draft with yet:"
    " speculation will use prompt lookup (suffix)."
)
_NO_DRAFT_NOTICE = "No draft model fits {name}: speculation will use prompt lookup (suffix)."


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file to have; a split model is several."""

    role: Role
    repo: str
    file: str
    quant: str
    bytes: int | None
    sha256: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Selection:
    files: tuple[Wanted, ...]
    notice: str = ""
    """Why there is no draft, where the entry would lead one to expect it."""


def select(
    pair: Pair, quant: str | None = None, draft_quant: str | None = None, with_draft: bool = True
) -> Selection:
    """Raises UsageError with the choices when the entry lists no such quantisation."""
    if draft_quant and not with_draft:
        raise UsageError("--draft-quant and --no-draft exclude each other.")
    target = _choose(pair, "target", quant)
    assert target is not None
    draft = _choose(pair, "draft", draft_quant) if with_draft else None
    files = (*wanted_parts("target", target), *(wanted_parts("draft", draft) if draft else ()))
    notice = "" if draft or not with_draft else _notice(pair)
    return Selection(files, notice)


def choices(pair: Pair, role: Role) -> list[ModelFile]:
    """The entry's own file first. A head is no choice: nothing here can draft with it yet."""
    own = pair.target if role == "target" else pair.draft if pair.kind == "draft" else None
    others = [
        file
        for other in pair.alternatives
        if other.role == role and (role == "target" or other.kind == "draft")
        if (file := other.as_file()) is not None
    ]
    return [own, *others] if own else others


def _choose(pair: Pair, role: Role, quant: str | None) -> ModelFile | None:
    files = choices(pair, role)
    if quant is None:
        return files[0] if files else None
    for file in files:
        if (file.quant or "").lower() == quant.lower():
            return file
    offered = ", ".join(f"{file.quant} ({size_text(file.bytes)})" for file in files)
    rest = f"Choose from: {offered}." if files else f"{pair.name} has no {role} to choose."
    raise UsageError(f"{pair.name} has no {role} in {quant}.", rest)


def wanted_parts(role: Role, file: ModelFile) -> Iterator[Wanted]:
    """Every part of a file of the catalog."""
    first = Wanted(
        role, file.repo, file.file, file.quant or "", file.bytes, file.sha256, file.revision
    )
    yield first
    known = {shard.file: shard for shard in file.shards}
    for name in shard_names(file.file)[1:]:
        shard = known.get(name)
        size, sha256 = (shard.bytes, shard.sha256) if shard else (None, None)
        yield Wanted(role, file.repo, name, file.quant or "", size, sha256, file.revision)


def _notice(pair: Pair) -> str:
    if pair.kind in ("draft", "ngram"):
        return _NO_DRAFT_NOTICE.format(name=pair.name)
    return _HEAD_NOTICE.format(name=pair.name, kind=pair.kind.upper())


def size_text(size: int | None) -> str:
    """Decimal units, as disks and hubs count."""
    if size is None:
        return "size unknown"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"
