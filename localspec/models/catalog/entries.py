"""The shapes of the catalog: pairs, their files, and where wheels carry the same bytes.

A user's own pairs have the same shape (`own.py`); most fields have a default for their sake.
`localspec catalog schema` prints it. What a shape refuses can't be true: a hash that is none, a
size that no such model has.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

QuantName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Kind = Literal["draft", "ngram", "mtp", "eagle3", "dflash", "dspark"]

Size = Annotated[int, Field(ge=24, le=2**42)]
"""Bytes: from GGUF's shortest header to what nobody publishes."""
Billions = Annotated[float, Field(gt=0, le=10_000)]
CellBytes = Annotated[int, Field(ge=0, le=2**30)]
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")]
_PART = "[A-Za-z0-9_][A-Za-z0-9_.+-]*"
RepoName = Annotated[str, StringConstraints(pattern=f"^{_PART}/{_PART}$", max_length=96)]
FileName = Annotated[str, StringConstraints(pattern=rf"^({_PART}/)*{_PART}\.gguf$", max_length=240)]
PairName = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
Alias = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9][A-Za-z0-9._:-]*$", max_length=100)]

_LEAST_BITS, _MOST_BITS = 1.0, 40.0
"""Of a parameter, all tensors together: from ternary ones to F32 with room for a vocabulary."""


UNKNOWN = "unknown"
"""The licence that an entry doesn't tell."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shard(_Entry):
    """A later part of a split file."""

    file: FileName
    bytes: Size | None = None
    sha256: Sha256 | None = None


class _FileFacts(_Entry):
    repo: RepoName
    quant: QuantName | None = None
    bytes: Size | None = None
    sha256: Sha256 | None = None
    revision: Commit | None = None
    """The commit that the hash belongs to; none follows the repository's main branch."""
    params_b: Billions | None = None
    active_b: Billions | None = None
    """Parameters that one token's pass reads, of a mixture of experts."""
    n_layer: Annotated[int, Field(ge=1, le=512)] | None = None
    n_head_kv: Annotated[int, Field(ge=0, le=4096)] | None = None
    head_dim: Annotated[int, Field(ge=1, le=65_536)] | None = None
    n_vocab: Annotated[int, Field(ge=1, le=2**21)] | None = None
    ctx_train: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    base_model: str | None = None
    file_verified: bool = False
    file_pattern: str | None = None
    shards: tuple[Shard, ...] = ()

    @model_validator(mode="after")
    def _has_a_possible_size(self) -> Self:
        if self.params_b and self.active_b and self.active_b > self.params_b:
            raise ValueError(f"active_b is more than the {self.params_b} billion that there are")
        sizes = [self.bytes, *(shard.bytes for shard in self.shards)]
        if self.params_b and all(sizes):
            bits = sum(size or 0 for size in sizes) * 8 / (self.params_b * 1e9)
            if not _LEAST_BITS <= bits <= _MOST_BITS:
                told = f"bytes would be {bits:.3g} bits for each of {self.params_b} billion"
                raise ValueError(f"{told} parameters: impossible")
        return self


class ModelFile(_FileFacts):
    """One GGUF file on the hub, pinned where the catalog could pin it."""

    file: FileName


class Alternative(_FileFacts):
    """Another file for the same place; some are known only by their repository."""

    file: FileName | None
    role: Literal["target", "draft"]
    kind: Kind
    note: str | None = None

    def as_file(self) -> ModelFile | None:
        if self.file is None:
            return None
        return ModelFile(**self.model_dump(exclude={"role", "kind", "note"}))


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


_KIND = Field(
    description="Left out, it is draft with a draft and ngram without.",
    json_schema_extra=_without_default,
)


class Pair(_Entry):
    """A target and what drafts for it."""

    name: PairName
    aliases: tuple[Alias, ...] = ()
    tier: Literal["core", "extra"] = "extra"
    kind: Annotated[Kind, _KIND] = "draft"
    target: ModelFile
    draft: ModelFile | None = None
    alternatives: tuple[Alternative, ...] = ()
    license: str = UNKNOWN
    gated: bool = False
    gated_basis: str | None = None
    compat: str | None = None
    compat_basis: str | None = None
    kv_bytes_per_token_f16: CellBytes | None = None
    kv_bytes_per_token_whole: CellBytes | None = None
    """With the layers that see a window only, which keep the whole context here."""
    kv_note: str | None = None
    measured: tuple[str, ...] = ()
    notes: str = ""

    @model_validator(mode="before")
    @classmethod
    def _fill_kind(cls, values: Any) -> Any:
        if isinstance(values, dict) and "kind" not in values:
            return values | {"kind": "draft" if values.get("draft") else "ngram"}
        return values

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        if (self.kind == "draft" and self.draft is None) or (self.kind == "ngram" and self.draft):
            raise ValueError(f"kind is {self.kind}, which fits no such draft")
        return self


class WheelPart(_Entry):
    """A wheel of the package index that holds one part of a file."""

    project: str
    version: str
    wheel: str
    wheel_sha256: Sha256
    wheel_bytes: Size
    member: str
    member_bytes: Annotated[int, Field(ge=1)]


class WheelFile(_Entry):
    """A file that wheels carry: its parts, joined in this order, are the hub's file."""

    bytes: Size
    sha256: Sha256
    parts: tuple[WheelPart, ...]
