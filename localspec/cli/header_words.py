"""What headers say of a pair before its download, in words: for a pull's plan and for a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.models.header_facts import HeaderFacts
    from localspec.models.placement import Placement


def header_texts(header: HeaderFacts) -> tuple[str, str]:
    """The model's numbers, and its tokenizer."""
    from localspec.cli.entry_words import parameters_text

    numbers = [header.architecture, parameters_text(header.parameters)]
    if header.n_layer:
        numbers.append(f"{header.n_layer} layer{'' if header.n_layer == 1 else 's'}")
    if header.n_ctx_train:
        numbers.append(f"trained on {header.n_ctx_train} tokens of context")
    pre = f" ({header.pre_tokenizer})" if header.pre_tokenizer else ""
    tokenizer = f"{header.tokenizer} tokenizer{pre} of {header.n_vocab} tokens"
    chat = "with a chat template" if header.chat_template else "without a chat template"
    return ", ".join(numbers), f"{tokenizer}, {chat}"


def fit_text(misfit: str, reason: str) -> str:
    """Whether the draft can draft, and why it is this one."""
    if misfit:
        return "no"
    return "the tokenizers match" + (f"; {reason}" if reason else "")


def memory_text(placement: Placement) -> str:
    """What the pair takes of each device, and what goes where."""
    from localspec.models.placement import CPU
    from localspec.models.selection import size_text

    at = f"with a context of {placement.n_ctx} tokens"
    if not placement.fits:
        return f"doesn't fit {at}: {placement.reason}"
    parts = [
        f"{size_text(use.needed)} of {size_text(use.free)} free"
        f" {'in memory' if use.name == CPU else f'on {use.name}'}"
        for use in placement.uses
    ]
    return f"{', '.join(parts)}, {at}. {placement.reason}"
