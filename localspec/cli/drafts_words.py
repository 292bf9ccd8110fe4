"""What a search for drafts found, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from localspec.cli import table

if TYPE_CHECKING:
    from localspec.models.drafts.candidate import Candidate, Found, Refusal
    from localspec.models.drafts.gain import Gain, Machine
    from localspec.models.drafts.target import Target

_SHOWN_REFUSALS = 20
_HOPEFUL = "Six pairs reported elsewhere gained 0.5 to 1 times as much."
"""Of the catalog's `measured` figures on GPUs, against `gain.estimated_costs` on one."""

WITHOUT_A_MODEL = (
    ("suffix", True, "copies what followed the same words before; part of auto, or --spec suffix"),
    ("predicted", True, "copies a text that the reply repeats; part of auto, or --predict FILE"),
    ("translated", False, "a small model of another tokenizer, its text tokenized anew"),
    ("early exit", False, "the target's own first layers as the draft"),
)
"""Name, whether localspec can do it, and what it is."""


def found_lines(target: Target, found: Found, machine: Machine) -> list[str]:
    lines = [f"Drafts for {_described(target)}", ""]
    if found.fitting:
        lines += _table(found.fitting)
        lines += _legend(found.fitting, machine)
        lines += _reports(target)
    else:
        lines.append("No draft that fits is known.")
    if not any(each.gain and each.gain.pays for each in found.fitting):
        lines += ["", _none_pays(found.fitting), *_without_a_model()]
    lines += _refusals((*found.refused, *found.others))
    lines += _next(target, found.fitting)
    return lines


def verdict(gain: Gain | None) -> str:
    """Empty where it pays."""
    if gain is None or gain.pays:
        return ""
    if gain.speedup >= 1.0:
        return "hardly pays"
    return "loses here" if gain.is_measured else "would lose"


def gain_text(gain: Gain | None) -> str:
    if gain is None:
        return "unknown"
    return f"{gain.speedup:.2f}x {'measured' if gain.is_measured else 'estimate'}"


def _described(target: Target) -> str:
    from localspec.models.selection import size_text

    size = target.size.file_bytes
    vocabulary = f"a vocabulary of {target.n_vocab}" if target.n_vocab else ""
    known = (target.quant, size_text(size) if size else "", vocabulary)
    facts = ", ".join(filter(None, known))
    how = "" if target.facts else " (not on this disk: what fits is told by the catalog)"
    return f"{target.name}{': ' if facts else ''}{facts}{how}"


def _table(fitting: Sequence[Candidate]) -> list[str]:
    from localspec.models.selection import size_text

    rows = [
        [
            str(number),
            each.name,
            each.quant,
            size_text(each.file_bytes) if each.file_bytes else "unknown",
            f"{each.ratio:.1%}" if each.ratio else "unknown",
            gain_text(each.gain),
            _where(each),
            verdict(each.gain),
        ]
        for number, each in enumerate(fitting, 1)
    ]
    return table.lines(("#", "NAME", "QUANT", "SIZE", "RATIO", "GAIN", "WHERE", ""), rows)


def _where(candidate: Candidate) -> str:
    if candidate.in_use:
        return "disk, in use"
    words = {"verified": "verified", "family": "same family", "name": "by its name"}
    place = "disk" if candidate.path else "catalog"
    return ", ".join(filter(None, (place, words.get(candidate.basis))))


def _legend(fitting: Sequence[Candidate], machine: Machine) -> Iterator[str]:
    gains = [each.gain for each in fitting if each.gain]
    if not gains:
        return
    yield ""
    yield "RATIO: the weights that a pass reads, against the target's."
    low, high = (f"{end(gain.acceptance for gain in gains):.0%}" for end in (min, max))
    rates = low if low == high else f"{low} to {high}"
    yield f"GAIN: speed against no draft, if {rates} of its tokens are right, a guess by size."
    if any(gain.is_measured for gain in gains):
        yield "measured: the passes of both were timed on this machine."
    if not all(gain.is_measured for gain in gains):
        yield f"estimate: by RATIO and {machine.shape_from}. {_HOPEFUL}"


def _reports(target: Target) -> Iterator[str]:
    """What others measured of the entry's own pair, word for word."""
    entry = target.entry
    if entry is None or entry.kind != "draft" or not entry.measured:
        return
    yield ""
    yield f"Reported elsewhere for {entry.name}:"
    for line in entry.measured:
        yield f"  {line}"


def _none_pays(fitting: Sequence[Candidate]) -> str:
    from localspec.engine.worth import LEAST_GAIN

    if not fitting:
        return "Without one:"
    if all(each.gain is None for each in fitting):
        return "What they gain is told once the target is on this disk. Without a draft model:"
    return f"None of these gains {LEAST_GAIN - 1:.0%} here. Without a draft model:"


def _without_a_model() -> Iterator[str]:
    rows = [
        [f"  {name}", "works" if works else "not built yet", what]
        for name, works, what in WITHOUT_A_MODEL
    ]
    yield from table.lines(("", "", ""), rows)[1:]


def _refusals(refused: Sequence[Refusal]) -> Iterator[str]:
    if not refused:
        return
    yield ""
    yield "Refused:"
    shown = refused[:_SHOWN_REFUSALS]
    rows = [[f"  {each.name}", each.where, each.reason] for each in shown]
    yield from table.lines(("", "", ""), rows)[1:]
    if len(refused) > len(shown):
        yield f"  and {len(refused) - len(shown)} more: --json has them all"


def _next(target: Target, fitting: Sequence[Candidate]) -> Iterator[str]:
    best = next((each for each in fitting if each.gain and each.gain.pays), None)
    if best is None or best.in_use:
        return
    yield ""
    if target.record:
        yield f"To use the first: localspec drafts {target.record.name} --use auto"
    elif target.facts is None or target.path is None:
        yield f"To have both: localspec pull {target.name}"
    elif best.path:
        yield f"To use both: localspec add NAME --target {target.path} --draft {best.path}"
