"""The pair check: can this draft's tokens be checked by this target? By llama.cpp's rules."""

from pathlib import Path

from localspec.errors import PairMismatch
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.vocabulary import Vocabulary

MAX_SIZE_DIFFERENCE = 128
"""Vocabularies may differ by padding: Qwen2.5 has 151936 and 152064 entries."""
FIRST_COMPARED_ID = 5

NO_DRAFT_HINT = "Choose another draft, or go on without one: --spec off."


def check_pair(
    target: Path, draft: Path, *, allow_same: bool = False, hint: str = NO_DRAFT_HINT
) -> tuple[ModelFacts, ModelFacts]:
    """The facts of both files. Raises PairMismatch, or BrokenModelFile for either file."""
    target_facts, draft_facts = read_model(target), read_model(draft)
    if not allow_same and target.samefile(draft):
        raise PairMismatch(f"{draft} is the target itself: it can't draft faster.", hint)
    rule = broken_rule(target_facts.vocabulary, draft_facts.vocabulary)
    if rule:
        raise PairMismatch(f"{draft} can't draft for {target}: {rule}.", hint)
    return target_facts, draft_facts


def broken_rule(target: Vocabulary, draft: Vocabulary) -> str:
    """The first rule that the pair breaks, in words; empty when it fits."""
    rule, difference = _rule_beside_texts(target, draft), _first_difference(target, draft)
    if not rule and difference:
        return f"token texts must be equal from id {FIRST_COMPARED_ID}, and {difference}"
    # Where the texts part tells which of the two files is the odd one.
    return f"{rule}; {difference}" if difference else rule


def _rule_beside_texts(target: Vocabulary, draft: Vocabulary) -> str:
    if target.kind != draft.kind:
        return f"tokenizer types differ (target {target.kind}, draft {draft.kind})"
    return (
        _end_rule("BOS", (target.add_bos, target.bos), (draft.add_bos, draft.bos))
        or _end_rule("EOS", (target.add_eos, target.eos), (draft.add_eos, draft.eos))
        or _size_rule(len(target), len(draft))
    )


def _end_rule(name: str, target: tuple[bool, int | None], draft: tuple[bool, int | None]) -> str:
    if target[0] != draft[0]:
        who, other = ("target", "draft") if target[0] else ("draft", "target")
        return f"the {who} adds {name} and the {other} doesn't"
    # An id that is never added can't disturb the draft.
    if target[0] and target[1] != draft[1]:
        return f"{name} ids differ (target {target[1]}, draft {draft[1]})"
    return ""


def _size_rule(target: int, draft: int) -> str:
    if abs(target - draft) <= MAX_SIZE_DIFFERENCE:
        return ""
    limit = f"more than {MAX_SIZE_DIFFERENCE} apart"
    return f"vocabulary sizes are {limit} (target {target}, draft {draft})"


def _first_difference(target: Vocabulary, draft: Vocabulary) -> str:
    index = target.tokens.first_difference(draft.tokens, FIRST_COMPARED_ID)
    if index is None:
        return ""
    texts = [ascii_safe(vocabulary.tokens.text(index)) for vocabulary in (target, draft)]
    return f"token {index} is {texts[0]} in the target and {texts[1]} in the draft"


def ascii_safe(text: str) -> str:
    """Quoted on one line, with everything a terminal would obey escaped, and not too long."""
    shown = text if len(text) <= 60 else text[:60] + "…"
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + '"'
