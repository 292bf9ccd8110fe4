"""A model's vocabulary as its file tells it, with llama.cpp's defaults for what it leaves out."""

from dataclasses import dataclass

from localspec.models.gguf_cursor import StringArray
from localspec.models.gguf_header import GgufHeader

_KINDS = {
    "llama": "SPM",
    "bert": "WPM",
    "gpt2": "BPE",
    "hybriddna": "BPE",
    "whitespace": "BPE",
    "gemma4": "BPE",
    "t5": "UGM",
    "rwkv": "RWKV",
    "plamo2": "PLaMo2",
}
_DEFAULT_IDS: dict[str, tuple[int | None, int | None]] = {
    "llama": (1, 2),
    "bert": (101, None),
    "gpt2": (11, 11),
    "hybriddna": (11, 11),
    "whitespace": (11, 11),
    "t5": (None, 1),
    "plamo2": (1, 2),
}
"""BOS and EOS where the file names none (llama-vocab.cpp)."""
_BOS_PRE_TOKENIZERS = frozenset(
    "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano tekken"  # noqa: SIM905
    " chameleon".split()
)
_LONGEST_NAME = 64
_NO_BOS_PRE_TOKENIZERS = frozenset({"chatglm-bpe", "glm4", "glm5"})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    kind: str
    """llama.cpp's family: SPM, BPE, WPM, UGM, RWKV."""
    pre: str
    """The pre-tokenizer; it never matters to a pair, since the draft is fed the target's ids."""
    tokens: StringArray
    bos: int | None
    eos: int | None
    add_bos: bool
    add_eos: bool

    def __len__(self) -> int:
        return len(self.tokens)


def read_vocabulary(header: GgufHeader) -> Vocabulary | None:
    """None when the file holds no token list."""
    tokens = header.strings("tokenizer.ggml.tokens")
    if tokens is None or not len(tokens):
        return None
    # Both are shown; a file may hold a million characters there.
    model = header.text("tokenizer.ggml.model")[:_LONGEST_NAME]
    pre = header.text("tokenizer.ggml.pre")[:_LONGEST_NAME]
    kind = _KINDS.get(model, model)
    bos, eos = _DEFAULT_IDS.get(model, (None, None))
    if kind == "BPE" and pre in _NO_BOS_PRE_TOKENIZERS:
        bos = None
    add_bos = header.flag("tokenizer.ggml.add_bos_token")
    add_eos = header.flag("tokenizer.ggml.add_eos_token")
    if add_bos is None:
        add_bos = kind in ("SPM", "WPM") or (kind == "BPE" and pre in _BOS_PRE_TOKENIZERS)
    return Vocabulary(
        kind=kind,
        pre=pre,
        tokens=tokens,
        bos=_id(header, "tokenizer.ggml.bos_token_id", bos, len(tokens)),
        eos=_id(header, "tokenizer.ggml.eos_token_id", eos, len(tokens)),
        # llama.cpp overrides Gemma 4's flag.
        add_bos=add_bos or model == "gemma4",
        add_eos=kind == "UGM" if add_eos is None else add_eos,
    )


def _id(header: GgufHeader, key: str, default: int | None, size: int) -> int | None:
    """An id outside the vocabulary counts as not given."""
    given = header.integer(key)
    if given is not None and 0 <= given < size:
        return given
    return default if default is not None and default < size else None
