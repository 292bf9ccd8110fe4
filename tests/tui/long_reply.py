"""A reply as long as one likes, with all that is dear to draw: prose, lists, code and tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

_PROSE = "Each stage of the pipeline hands its result on, and the next one checks what it gets. "
_CODE = """
```python
def stage_{n}(rows: list[Row]) -> list[Row]:
    kept = [row for row in rows if row.total > {n}]
    for row in kept:
\t    row.stage = {n}  # noted for the report

    return sorted(kept, key=lambda row: row.total)
```
"""
_TABLE = """
| stage | rows | seconds |
|-------|-----:|--------:|
| one   | {n}  | 0.12    |
| two   | 1{n} | 0.31    |
| three | 2{n} | 0.07    |
"""
_LIST = """
- the **first** point of part {n}, with `code` in it
- the second one, which is a little longer than the first
  1. and a point below it
"""


def sections() -> Iterator[str]:
    """Without an end."""
    for n in count(1):
        yield f"## Part {n}\n\n{_PROSE * 3}\n{_CODE}\n{_PROSE}\n{_TABLE}{_LIST}\n".replace(
            "{n}", str(n)
        )


def tokens() -> Iterator[str]:
    """About four characters each, as a model's."""
    for section in sections():
        for start in range(0, len(section), 4):
            yield section[start : start + 4]


def text_of(num_tokens: int) -> str:
    return "".join(islice(tokens(), num_tokens))
