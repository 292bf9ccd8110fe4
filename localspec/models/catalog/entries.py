"""The shapes of the catalog: pairs, their files, and where wheels carry the same bytes."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Kind = Literal["draft", "ngram", "mtp", "eagle3", "dflash", "dspark"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shard(_Entry):
    """A later part of a split file."""

    file: str
    bytes: int | None = None
    sha256: str | None = None


class _FileFacts(_Entry):
    repo: str
    quant: str | None
    bytes: int | None
    sha256: str | None
    revision: str | None = None
    """The commit that the hash belongs to; none follows the repository's main branch."""
    params_b: float | None = None
    active_b: float | None = None
    """Billions of parameters that one token's pass reads, of a mixture of experts."""
    n_layer: int | None = None
    n_head_kv: int | None = None
    head_dim: int | None = None
    n_vocab: int | None = None
    ctx_train: int | None = None
    base_model: str | None = None
    file_verified: bool = False
    file_pattern: str | None = None
    shards: tuple[Shard, ...] = ()


class ModelFile(_FileFacts):
    """One GGUF file on the hub, pinned where the catalog could pin it."""

    file: str


class Alternative(_FileFacts):
    """Another file for the same place; some are known only by their repository."""

    file: str | None
    role: Literal["target", "draft"]
    kind: Kind
    note: str | None = None

    def as_file(self) -> ModelFile | None:
        if self.file is None:
            return None
        return ModelFile(**self.model_dump(exclude={"role", "kind", "note"}))


class Pair(_Entry):
    """A target and what drafts for it."""

    name: str
    aliases: tuple[str, ...]
    tier: Literal["core", "extra"]
    kind: Kind
    target: ModelFile
    draft: ModelFile | None
    alternatives: tuple[Alternative, ...]
    license: str
    gated: bool
    gated_basis: str | None = None
    compat: str | None
    compat_basis: str | None
    kv_bytes_per_token_f16: int | None
    kv_bytes_per_token_whole: int | None = None
    """With the layers that see a window only, which keep the whole context here."""
    kv_note: str | None = None
    measured: tuple[str, ...] = ()
    notes: str


class WheelPart(_Entry):
    """A wheel of the package index that holds one part of a file."""

    project: str
    version: str
    wheel: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    member_bytes: int


class WheelFile(_Entry):
    """A file that wheels carry: its parts, joined in this order, are the hub's file."""

    bytes: int
    sha256: str
    parts: tuple[WheelPart, ...]
