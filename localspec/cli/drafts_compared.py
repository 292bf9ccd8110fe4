"""One draft beside its target: everything that decides whether they fit, as lines of text."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from localspec.cli import table
from localspec.cli.drafts_words import gain_text, verdict

if TYPE_CHECKING:
    from localspec.models.drafts.candidate import Candidate, Refusal
    from localspec.models.drafts.target import Target
    from localspec.models.model_file import ModelFacts
    from localspec.models.vocabulary import Vocabulary

_Ends = tuple[bool, int | None]
"""Whether the token is added, and its id."""


def compared_lines(target: Target, draft: ModelFacts, judged: Candidate | Refusal) -> list[str]:
    from localspec.models.drafts.candidate import BASIS_WORDS, Refusal

    rows = [["size", *_sizes(target, draft), ""], *_rows(target, draft)]
    head = ("", f"target {target.name}", f"draft {draft.path.name}", "")
    lines = [*table.lines(head, rows), ""]
    if isinstance(judged, Refusal):
        named = target.record.name if target.record else str(target.path or target.name)
        others = f"What can: localspec drafts {shlex.quote(named)}"
        return [*lines, f"It can't draft for {target.name}: {judged.reason}.", others]
    losing = verdict(judged.gain)
    gain = f"{gain_text(judged.gain)}, {losing}" if losing else gain_text(judged.gain)
    return [
        *lines,
        f"It can draft for {target.name}: {BASIS_WORDS[judged.basis]}.",
        f"Expected gain: {gain}.",
    ]


def _sizes(target: Target, draft: ModelFacts) -> tuple[str, str]:
    from localspec.models.selection import size_text

    return size_text(target.size.file_bytes), size_text(draft.file_bytes)


def _rows(target: Target, draft: ModelFacts) -> list[list[str]]:
    own, other = target.facts, draft.vocabulary
    if own is None:
        return [["vocabulary", str(target.n_vocab or "unknown"), str(len(other)), ""]]
    mine = own.vocabulary
    return [
        _row("architecture", own.architecture, draft.architecture, "may differ"),
        _row("quantisation", own.quant, draft.quant, "may differ"),
        _row("tokenizer", mine.kind, other.kind, "must be equal"),
        _row("pre-tokenizer", mine.pre or "none", other.pre or "none", "may differ"),
        _vocabulary_row(mine, other),
        _end_row("BOS", (mine.add_bos, mine.bos), (other.add_bos, other.bos)),
        _end_row("EOS", (mine.add_eos, mine.eos), (other.add_eos, other.eos)),
        *_first_difference(mine, other),
    ]


def _row(name: str, target: str, draft: str, if_unequal: str) -> list[str]:
    return [name, target, draft, "" if target == draft else if_unequal]


def _vocabulary_row(target: Vocabulary, draft: Vocabulary) -> list[str]:
    from localspec.models.compat import MAX_SIZE_DIFFERENCE

    rule = f"may differ by {MAX_SIZE_DIFFERENCE} at most"
    return _row("vocabulary", f"{len(target)} tokens", f"{len(draft)} tokens", rule)


def _end_row(
    name: str, target: tuple[bool, int | None], draft: tuple[bool, int | None]
) -> list[str]:
    # An id that neither adds may differ.
    matters = target[0] or draft[0]
    return _row(name, _end(*target), _end(*draft), "must be equal" if matters else "may differ")


def _end(added: bool, token: int | None) -> str:
    return f"{'added' if added else 'not added'}, id {'none' if token is None else token}"


def _first_difference(target: Vocabulary, draft: Vocabulary) -> list[list[str]]:
    from localspec.models.compat import FIRST_COMPARED_ID, ascii_safe

    index = target.tokens.first_difference(draft.tokens, FIRST_COMPARED_ID)
    if index is None:
        return [[f"texts from {FIRST_COMPARED_ID}", "equal", "equal", ""]]
    one, other = (ascii_safe(each.tokens.text(index)) for each in (target, draft))
    return [_row(f"token {index}", one, other, "must be equal")]
