"""Prompts to measure on: Spec-Bench's, edits of given text, or the user's own file."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from localspec.errors import UsageError

KINDS = (
    "edit",
    "coding",
    "writing",
    "translation",
    "summarization",
    "qa",
    "math_reasoning",
    "rag",
)
"""Eight kinds of work: categories of the two files, in the order that they are shown."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a suite."""

    category: str
    text: str


def load_suite(name: str, per_category: int | None = None) -> list[Prompt]:
    """`spec`, `edit`, `kinds`, or a JSONL file with `category` and `turns` or `prompt` a line.

    Raises UsageError on a file that is missing or holds something else.
    """
    if name == "kinds":
        return _kinds(per_category or 1)
    if name == "tuning":
        return _tuning(per_category or 3)
    if name in ("spec", "edit"):
        prompts = _shipped("spec_bench" if name == "spec" else "edit")
    else:
        prompts = _read(_own_file(name), name)
    return _first_of_each(prompts, per_category)


def _kinds(per_category: int) -> list[Prompt]:
    prompts = _shipped("edit") + _shipped("spec_bench")
    chosen = _first_of_each([p for p in prompts if p.category in KINDS], per_category)
    return sorted(chosen, key=lambda prompt: KINDS.index(prompt.category))


_MEASURED = 2
"""Prompts of each category that benches use first: the tuner must not have seen them."""


def _tuning(per_category: int) -> list[Prompt]:
    """Edits of its own, and Spec-Bench's prompts after the measured ones."""
    prompts = _shipped("spec_bench")
    measured = _first_of_each(prompts, _MEASURED)
    rest = [prompt for prompt in prompts if prompt not in measured]
    return _shipped("tuning_edits") + _first_of_each(rest, per_category)


def _shipped(stem: str) -> list[Prompt]:
    source = files("localspec.bench").joinpath("prompts", f"{stem}.jsonl")
    return _read(source.read_text("utf-8"), stem)


def _own_file(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = "spec, edit, kinds, or a JSONL file"
        raise UsageError(f"The suite {name} can't be read: {error}.", f"Use {known}.") from None


def _read(text: str, name: str) -> list[Prompt]:
    prompts = [_prompt(line, name, number) for number, line in _lines(text)]
    if not prompts:
        raise UsageError(f"The suite {name} holds no prompts.")
    return prompts


def _lines(text: str) -> list[tuple[int, str]]:
    return [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]


def _prompt(line: str, name: str, number: int) -> Prompt:
    try:
        row = json.loads(line)
        text = row["turns"][0] if "turns" in row else row["prompt"]
        if not isinstance(text, str) or not text.strip():
            raise ValueError
        return Prompt(str(row.get("category", "all")), text)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        hint = 'Each line is {"category": "…", "prompt": "…"}.'
        raise UsageError(f"Line {number} of the suite {name} is not a prompt.", hint) from None


def _first_of_each(prompts: list[Prompt], count: int | None) -> list[Prompt]:
    seen: dict[str, int] = defaultdict(int)
    chosen = []
    for prompt in prompts:
        seen[prompt.category] += 1
        if count is None or seen[prompt.category] <= count:
            chosen.append(prompt)
    return chosen
