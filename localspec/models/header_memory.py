"""A model's memory by the headers of its files."""

import platform
import re
from collections.abc import Iterator, Mapping

from localspec.models.gguf_header import GgufHeader, Tensor
from localspec.models.memory import GraphWidths, Layer, ModelMemory
from localspec.models.model_file import ModelFacts
from localspec.models.text_keeping import TextKeeping

_BLOCK = re.compile(r"^blk\.(\d{1,6})\.")
_EXPERTS = re.compile(r"\.ffn_\w*exps\.")
_INPUTS = ("token_embd.", "per_layer_token_embd.", "position_embd.", "token_types.")
_REORDERED = {2, 12, 20, 39}
"""ggml types whose rows AVX2 kernels want in another order: Q4_0, Q4_K, IQ4_NL, MXFP4."""
_REORDERED_ON_ARM = _REORDERED | {8, 13, 14}
"""NEON has such kernels for Q8_0, Q5_K and Q6_K as well."""
_ROLLBACK = frozenset(
    "bailingmoe3 deepseek4 glm5-next kimi-k3 lfm2 lfm2moe nemotron_h nemotron_h_moe"  # noqa: SIM905
    " qwen35 qwen35moe qwen4exp".split()
)
"""Architectures whose recurrent states llama.cpp can keep for each token."""


def memory_of(facts: ModelFacts, machine: str = "") -> ModelMemory:
    """`machine` is the processor's name, by default this one's."""
    header = facts.parts[0]
    tensors = {name: tensor for part in facts.parts for name, tensor in part.tensors.items()}
    keeping = TextKeeping(header, facts.architecture)
    # Layers of a prediction head behind the last are not loaded.
    num_layers = keeping.num_layers
    embeddings = tensors.get("token_embd.weight", Tensor(0, 0))
    tied = embeddings.bytes if "output.weight" not in tensors else 0
    arm = (machine or platform.machine()).lower() in ("arm64", "aarch64")
    return ModelMemory(
        layers=tuple(_layers(tensors, keeping, num_layers)),
        embeddings=sum(t.bytes for name, t in tensors.items() if name.startswith(_INPUTS)),
        output=sum(t.bytes for name, t in tensors.items() if _is_output(name)),
        tied=tied,
        tied_copied_on_cpu=embeddings.kind in (_REORDERED_ON_ARM if arm else _REORDERED),
        n_vocab=len(facts.vocabulary),
        n_ctx_train=facts.n_ctx_train,
        widths=_widths(header, facts, keeping),
        num_experts=header.integer(f"{facts.architecture}.expert_count") or 0,
        keeps_snapshots=facts.architecture in _ROLLBACK,
    )


def _layers(
    tensors: Mapping[str, Tensor], keeping: TextKeeping, num_layers: int
) -> Iterator[Layer]:
    weights, experts = [0] * num_layers, [0] * num_layers
    for name, tensor in tensors.items():
        match = _BLOCK.match(name)
        if match and int(match[1]) < num_layers:
            kind = experts if _EXPERTS.search(name) else weights
            kind[int(match[1])] += tensor.bytes
    for index in range(num_layers):
        yield Layer(
            weights[index],
            experts[index],
            *keeping.cell_widths(index),
            keeping.window(index),
            keeping.state_bytes(index),
        )


def _is_output(name: str) -> bool:
    return _BLOCK.match(name) is None and not name.startswith(_INPUTS)


def _widths(header: GgufHeader, facts: ModelFacts, keeping: TextKeeping) -> GraphWidths:
    def number(key: str) -> int:
        return header.integer(f"{facts.architecture}.{key}") or 0

    heads = number("attention.head_count")
    return GraphWidths(
        n_embd=facts.n_embd or 0,
        n_ff=number("feed_forward_length"),
        n_head=heads,
        q_width=heads * keeping.key_length,
        attention_width=heads * keeping.value_length,
        experts_used=number("expert_used_count"),
        expert_ff=number("expert_feed_forward_length") or number("feed_forward_length"),
        inner=number("ssm.inner_size"),
        latent=keeping.latent,
    )
