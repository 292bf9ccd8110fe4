"""A tokenizer whose ids can be read: one a character, and a high one for each control token."""

import re

from localspec.engine.sampling import SamplingParams

BOS = "<s>"


class FakeTokenizer:
    def __init__(self, *controls: str, adds_bos: bool = True) -> None:
        self.controls = [BOS, *controls]
        self.adds_bos = adds_bos
        self.chat_template = ""
        self.bos_text = BOS
        self.eos_text = "</s>"
        self.end_tokens: frozenset[int] = frozenset()

    def tokenize(self, text: str, special: bool, begin: bool = False) -> list[int]:
        ids = [self.control(BOS)] if begin and self.adds_bos else []
        if not special:
            return ids + [ord(char) for char in text]
        for part in re.split("(" + "|".join(map(re.escape, self.controls)) + ")", text):
            known = part in self.controls
            ids += [self.control(part)] if known else [ord(char) for char in part]
        return ids

    def control(self, text: str) -> int:
        return 0x200000 + self.controls.index(text)

    def token_bytes(self, token: int) -> bytes:
        return b"" if token >= 0x200000 else chr(token).encode()

    def grammar(self, params: SamplingParams) -> None:
        return None

    def show(self, ids: list[int]) -> str:
        """Ids as text; control tokens in braces, so that quoted ones look different."""
        base = 0x200000
        return "".join(f"{{{self.controls[i - base]}}}" if i >= base else chr(i) for i in ids)
