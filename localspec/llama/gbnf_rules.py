"""The rules of a grammar, and what about them would end or hang llama.cpp."""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from localspec.errors import UsageError

MAX_DEPTH = 1000
"""llama.cpp recurses into groups and leftmost rules; 20000 overflowed an 8 MB stack."""
MAX_PATHS = 100_000
"""llama.cpp follows every leftmost path by itself, so forks multiply."""
MAX_ELEMENTS = 200_000
"""What repetitions may unroll to: every round with an accepted draft copies it."""


@dataclass(slots=True)
class Item:
    """A part of a sequence: characters when `rule` is empty."""

    rule: str = ""
    size: int = 1
    least: int = 1
    most: int = 1


@dataclass(slots=True)
class Rule:
    """A named rule, or a group, whose name no rule can have."""

    name: str
    alternatives: list[list[Item]] = field(default_factory=lambda: [[]])

    @property
    def items(self) -> list[Item]:
        return [item for sequence in self.alternatives for item in sequence]


def check_rules(rules: dict[str, Rule]) -> None:
    """Raises UsageError."""
    if "root" not in rules:
        raise UsageError("The grammar has no rule named root, where it would begin.")
    items = [item for rule in rules.values() for item in rule.items]
    for item in items:
        if item.rule and item.rule not in rules:
            raise UsageError(f"The grammar uses {item.rule}, which it doesn't define.")
    if sum((item.size + 2) * max(1, item.most) for item in items) > MAX_ELEMENTS:
        raise UsageError("The grammar is too large: it repeats too much too often.")
    _check_recursion(rules)


def _check_recursion(rules: dict[str, Rule]) -> None:
    """No rule may begin with itself, also not behind something that can be empty: llama.cpp misses
    the second kind, and grows until memory ends."""
    empty = _nullable(rules)
    left = {name: _leftmost(rule, empty) for name, rule in rules.items()}
    try:
        order = list(TopologicalSorter(left).static_order())
    except CycleError as error:
        named = [name for name in error.args[1] if not name.startswith("(")]
        where = named[0] if named else "a group"
        raise UsageError(f"The grammar is left-recursive: {where} can begin with itself.")
    depth: dict[str, int] = {}
    paths: dict[str, int] = {}
    for name in order:
        depth[name] = 1 + max((depth[below] for below in left[name]), default=0)
        paths[name] = 1 + sum(count * paths[below] for below, count in left[name].items())
    if max(depth.values()) > MAX_DEPTH:
        raise UsageError(f"The grammar's rules begin with each other over {MAX_DEPTH} deep.")
    if max(paths.values()) > MAX_PATHS:
        raise UsageError("The grammar can begin in too many ways.")


def _nullable(rules: dict[str, Rule]) -> set[str]:
    """The rules that can be empty."""
    empty: set[str] = set()
    grown = True
    while grown:
        new = {
            name
            for name, rule in rules.items()
            if name not in empty
            and any(all(_skips(item, empty) for item in part) for part in rule.alternatives)
        }
        empty |= new
        grown = bool(new)
    return empty


def _leftmost(rule: Rule, empty: set[str]) -> dict[str, int]:
    """What the rule can begin with, and in how many ways."""
    counts: dict[str, int] = {}
    for sequence in rule.alternatives:
        for item in sequence:
            if item.rule:
                ways = max(1, item.most) if item.rule in empty else 1
                counts[item.rule] = counts.get(item.rule, 0) + ways
            if not _skips(item, empty):
                break
    return counts


def _skips(item: Item, empty: set[str]) -> bool:
    return item.least == 0 or item.rule in empty
