"""What the headers of one model say of it, in plain values."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.models.model_file import ModelFacts


@dataclass(frozen=True, slots=True)
class HeaderFacts:
    architecture: str
    parameters: int
    n_layer: int | None
    n_ctx_train: int | None
    tokenizer: str
    pre_tokenizer: str
    n_vocab: int
    chat_template: bool

    @classmethod
    def of(cls, facts: ModelFacts) -> HeaderFacts:
        return cls(
            architecture=facts.architecture,
            parameters=sum(part.num_parameters for part in facts.parts),
            n_layer=facts.n_layer,
            n_ctx_train=facts.n_ctx_train,
            tokenizer=facts.vocabulary.kind,
            pre_tokenizer=facts.vocabulary.pre,
            n_vocab=len(facts.vocabulary),
            chat_template=facts.chat_template is not None,
        )
