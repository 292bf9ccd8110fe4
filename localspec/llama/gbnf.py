"""A look at a GBNF grammar before llama.cpp gets it.

llama.cpp ends or hangs the process on some grammars: hidden left recursion, `{5,3}`, deep nesting,
rules that fork at every step. It takes others for what they are not: `{0,3000}` becomes `*`. All of
them are refused here, in a sentence. What this reader lets through, llama.cpp still parses itself.
"""

from __future__ import annotations

import re

from localspec.errors import UsageError
from localspec.llama.gbnf_rules import MAX_DEPTH, Item, Rule, check_rules

MAX_REPETITIONS = 2000
"""llama.cpp's own limit; above it, an upper bound would be dropped in silence."""
_TOKEN = re.compile(
    r"""(?P<skip>(?:[ \t]|\#[^\r\n]*)+)|(?P<newline>\r\n|\r|\n)
    |(?P<name>[a-zA-Z0-9-]+)|(?P<define>::=)|(?P<alternative>\|)|(?P<open>\()|(?P<close>\))
    |(?P<literal>"(?:\\.|[^"\\])*")|(?P<class>\[(?:\\.|[^\]\\])*\])|(?P<any>\.)
    |(?P<repeat>[*+?])|(?P<braces>\{[\s0-9,]*\})|(?P<reference>[<!])""",
    re.VERBOSE | re.DOTALL,
)
_CHAR = re.compile(
    r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([trn\\\"\[\]-])|([^\\])",
    re.DOTALL,
)
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n"}


class Gbnf:
    """A grammar that llama.cpp can take. Raises UsageError on any other."""

    def __init__(self, source: str) -> None:
        self.bounds: list[int] = []
        """Ascending code points; characters between two of them are the same to this grammar."""
        self._rules: dict[str, Rule] = {}
        self._source = source
        self._spans: list[tuple[int, int]] = []
        if "\0" in source:
            raise UsageError("The grammar has a NUL character.")
        self._read()
        self.bounds = sorted({edge for span in self._spans for edge in span})
        check_rules(self._rules)

    def _read(self) -> None:
        """Rule by rule; a line's end ends a rule, but not in a group, behind `|` or `::=`."""
        nesting: list[Rule] = []
        pending = ""
        joins = False
        position = 0
        while position < len(self._source):
            found = _TOKEN.match(self._source, position)
            if found is None:
                raise self._wrong(position, f"{self._source[position]!r} is not expected")
            kind, text = str(found.lastgroup), found[0]
            if kind == "newline":
                if len(nesting) == 1 and not joins:
                    nesting = []
            elif kind != "skip":
                joins = kind in ("define", "alternative")
                if not nesting:
                    pending = self._start(kind, text, pending, nesting, position)
                else:
                    self._part(kind, text, nesting, position)
            position = found.end()
        if len(nesting) > 1:
            raise UsageError("The grammar ends inside a group.")
        if pending:
            raise UsageError(f"The grammar ends behind {pending}, which is not defined.")

    def _start(self, kind: str, text: str, pending: str, nesting: list[Rule], position: int) -> str:
        """A name, then `::=`; returns the name that waits for it."""
        if kind == "name" and not pending:
            if text in self._rules:
                raise self._wrong(position, f"{text} is defined a second time")
            return text
        if kind != "define" or not pending:
            raise self._wrong(position, f"a rule must be `name ::= …`, not {text!r}")
        nesting.append(Rule(pending))
        self._rules[pending] = nesting[0]
        return ""

    def _part(self, kind: str, text: str, nesting: list[Rule], position: int) -> None:
        rule = nesting[-1]
        sequence = rule.alternatives[-1]
        if kind == "name":
            sequence.append(Item(text))
        elif kind in ("literal", "class", "any"):
            size = 1 if kind == "any" else self._characters(kind, text, position)
            # llama.cpp makes nothing of "" and [].
            sequence.extend([Item(size=size)] if size else [])
        elif kind == "alternative":
            rule.alternatives.append([])
        elif kind == "open":
            if len(nesting) > MAX_DEPTH:
                raise self._wrong(position, f"groups are nested more than {MAX_DEPTH} deep")
            group = Rule(f"({len(self._rules)}")
            self._rules[group.name] = group
            sequence.append(Item(group.name))
            nesting.append(group)
        elif kind == "close" and len(nesting) > 1:
            nesting.pop()
        elif kind in ("repeat", "braces"):
            if not sequence:
                raise self._wrong(position, f"nothing stands before {text}")
            self._repeat(sequence[-1], text, position)
        elif kind == "reference":
            raise self._wrong(position, f"{text} names a token: only characters are supported")
        else:
            raise self._wrong(position, f"{text!r} is not expected")

    def _repeat(self, item: Item, text: str, position: int) -> None:
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(text, (0, 0))
        if text.startswith("{"):
            numbers = re.fullmatch(r"\{\s*(\d{1,9})\s*(,?)\s*(\d{1,9})?\s*\}", text)
            if numbers is None or (numbers[3] and not numbers[2]):
                raise self._wrong(position, f"{text} is not a number of repetitions")
            least = int(numbers[1])
            most = int(numbers[3]) if numbers[3] else (None if numbers[2] else least)
        if max(least, most or 0) > MAX_REPETITIONS:
            raise self._wrong(position, f"{text} is more than {MAX_REPETITIONS} repetitions")
        if most is not None and most < least:
            raise self._wrong(position, f"{text} ends before it begins")
        item.least *= least
        item.most *= max(least + 1, 2) if most is None else most

    def _characters(self, kind: str, text: str, position: int) -> int:
        """Note which characters a literal or a class tells apart; return how many it lists."""
        inner = text[1:-1].removeprefix("^") if kind == "class" else text[1:-1]
        at, size = 0, 0
        before: int | None = None
        while at < len(inner):
            # `a-z`: from the character before; behind another range `-` is itself.
            ranged = kind == "class" and before is not None
            ranged = ranged and inner[at] == "-" and at + 1 < len(inner)
            found = _CHAR.match(inner, at + 1 if ranged else at)
            if found is None:
                raise self._wrong(position, f"{text} has an unknown escape")
            code, at = _code(found), found.end()
            first = self._spans.pop()[0] if ranged else code
            self._spans.append((first, code + 1))
            before = None if ranged else code
            size += 1
        return size

    def _wrong(self, position: int, what: str) -> UsageError:
        line = len(re.findall(r"\r\n|\r|\n", self._source[:position])) + 1
        return UsageError(f"The grammar is wrong in line {line}: {what}.")


def _code(found: re.Match[str]) -> int:
    digits = found[1] or found[2] or found[3]
    if digits:
        return int(digits, 16)
    return ord(_ESCAPES.get(found[4], found[4]) if found[4] else found[5])
