"""Is this file a language model that can be loaded? From its header, before any weight is read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from localspec.errors import BrokenModelFile
from localspec.models.gguf_header import GgufHeader, read_header
from localspec.models.gguf_types import file_type_name
from localspec.models.model_limits import refuse_absurd, refuse_odd_kinds, refuse_repeated_tokens
from localspec.models.vocabulary import Vocabulary, read_vocabulary

_HEADS = frozenset({"eagle3", "dflash", "dspark", "gemma4-assistant"})
_EMBEDDERS = frozenset(
    "bert modern-bert nomic-bert nomic-bert-moe neo-bert jina-bert-v2 jina-bert-v3 eurobert"  # noqa: SIM905
    " gemma-embedding llama-embed t5encoder".split()
)
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.ASCII)
_ARCHITECTURE = re.compile(r"[\w.-]{1,64}", re.ASCII)
_SHOWN = 200
"""Characters of a name or licence: a file may hold a million."""
_AGAIN = "Pull or copy it again."


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a loadable model's file says about it."""

    path: Path
    parts: tuple[GgufHeader, ...]
    """The header of every file; a model that isn't split has one."""
    file_bytes: int
    """Of all parts."""
    architecture: str
    name: str
    quant: str
    n_ctx_train: int | None
    n_layer: int | None
    n_embd: int | None
    n_head_kv: int | None
    vocabulary: Vocabulary
    chat_template: str | None
    license: str


def read_model(path: Path) -> ModelFacts:
    """Raises BrokenModelFile, with a sentence of its own for each thing that isn't a model."""
    header = read_header(path)
    refuse_other_kinds(header)
    return model_of([header if part == path else read_header(part) for part in shard_paths(path)])


ReadModel = Callable[[Path], ModelFacts]
"""As `read_model` does, or a memory of what it did."""


def model_of(parts: Sequence[GgufHeader]) -> ModelFacts:
    """The facts of a model by the headers of all its parts, in order. Raises BrokenModelFile."""
    header = parts[0]
    refuse_other_kinds(header)
    for part in parts:
        _refuse_truncated(part)
        refuse_odd_kinds(part)
    refuse_absurd(header, (name for part in parts for name in part.tensors))
    vocabulary = read_vocabulary(header)
    if vocabulary is None:
        raise BrokenModelFile(f"{header.path} holds no vocabulary, so no text can be made from it.")
    refuse_repeated_tokens(header, vocabulary.tokens)
    return _facts(parts, vocabulary)


def shard_paths(path: Path) -> list[Path]:
    """Every part of a split model; one file is its only part."""
    return [path.with_name(name) for name in shard_names(path.name)]


def num_shards(name: str) -> int:
    """How many files the model is split into, by the pattern that llama.cpp finds them with."""
    match = _SHARD.search(name)
    return int(match[2]) if match and 1 <= int(match[1]) <= int(match[2]) else 1


def shard_names(name: str) -> list[str]:
    """The names of every part, in order."""
    match = _SHARD.search(name)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        return [name]
    total, stem = int(match[2]), name[: match.start()]
    return [f"{stem}-{part:05}-of-{total:05}.gguf" for part in range(1, total + 1)]


def refuse_other_kinds(header: GgufHeader) -> None:
    """Projectors, adapters, heads, vocabularies: by a sentence of their own."""
    architecture, kind = header.text("general.architecture"), header.text("general.type")
    other = _other_kind(header, architecture, kind)
    if other:
        raise BrokenModelFile(f"{header.path} is {other}.", "Give the model's own GGUF file.")
    if not architecture:
        raise BrokenModelFile(f"{header.path} names no architecture, so it is not a model.")
    if not _ARCHITECTURE.fullmatch(architecture):
        raise BrokenModelFile(f"{header.path} is damaged: its architecture is no name.", _AGAIN)
    if header.integer("split.no"):
        raise BrokenModelFile(f"{header.path} is a later part of a split model. Give part 00001.")


def _other_kind(header: GgufHeader, architecture: str, kind: str) -> str:
    names = header.tensors
    later_layers_only = any(".nextn." in name for name in names) and not any(
        name.startswith("blk.0.") for name in names
    )
    if architecture == "clip" or kind == "mmproj":
        return "an image projector (mmproj), not a language model"
    if kind == "adapter" or header.text("adapter.type"):
        return "an adapter (LoRA), not a whole model"
    if kind == "imatrix" or architecture == "imatrix":
        return "an importance matrix (imatrix), not a model"
    if architecture in _HEADS or later_layers_only:
        return "a draft head (MTP, EAGLE or DFlash), which can't run as a model"
    if architecture in _EMBEDDERS:
        return "an embedding model, which writes no text"
    if not names and (header.integer("split.count") or 0) < 2:
        return "a vocabulary without weights"
    return ""


def _refuse_truncated(header: GgufHeader) -> None:
    if header.data_end > header.file_bytes:
        missing = header.data_end - header.file_bytes
        raise BrokenModelFile(f"{header.path} is truncated: {missing} bytes are missing.", _AGAIN)


def _facts(parts: Sequence[GgufHeader], vocabulary: Vocabulary) -> ModelFacts:
    header = parts[0]
    architecture = header.text("general.architecture")

    def number(key: str) -> int | None:
        return header.integer(f"{architecture}.{key}")

    return ModelFacts(
        path=header.path,
        parts=tuple(parts),
        file_bytes=sum(part.file_bytes for part in parts),
        architecture=architecture,
        name=header.text("general.name")[:_SHOWN],
        quant=file_type_name(header.integer("general.file_type")),
        n_ctx_train=number("context_length"),
        n_layer=number("block_count"),
        n_embd=number("embedding_length"),
        n_head_kv=number("attention.head_count_kv") or number("attention.head_count"),
        vocabulary=vocabulary,
        chat_template=header.text("tokenizer.chat_template") or None,
        license=header.text("general.license")[:_SHOWN],
    )
