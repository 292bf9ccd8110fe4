"""What a conversation needs of a model's vocabulary."""

from typing import Protocol

from localspec.engine.grammar import Grammar
from localspec.engine.params import SamplingParams


class Tokenizer(Protocol):
    """The target's tokenizer. The ids are llama.cpp's; text is data."""

    def tokenize(self, text: str, special: bool, begin: bool = False) -> list[int]:
        """Ids of a text. `special` turns the text of control tokens into those tokens; `begin`
        adds the beginning-of-text token where the model wants one."""

    def token_bytes(self, token: int) -> bytes:
        """The bytes that a token adds to a reply; none for a control token."""

    def grammar(self, params: SamplingParams) -> Grammar | None:
        """What a reply's grammar or JSON schema allows, to be closed after the reply; None without
        one. Raises UsageError on one that can't be honoured."""

    @property
    def end_tokens(self) -> frozenset[int]:
        """The end-of-generation ids."""

    @property
    def chat_template(self) -> str:
        """The Jinja source in the model's file; empty when there is none."""

    @property
    def bos_text(self) -> str: ...

    @property
    def eos_text(self) -> str: ...
