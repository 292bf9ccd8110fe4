"""What no single entry shows: a name or alias that means two things."""

from collections.abc import Iterable, Iterator

from localspec.models.catalog.entries import Pair


def clashes(pairs: Iterable[Pair]) -> Iterator[tuple[int, str]]:
    """The index of each pair that has a name of an earlier one, or one twice, and what it is."""
    seen: dict[str, str] = {}
    for index, pair in enumerate(pairs):
        own: set[str] = set()
        for field, name in _names(pair):
            lower = name.lower()
            if lower in own:
                yield index, f"{field}: {name} stands there twice"
            elif lower in seen:
                yield index, f"{field}: {name} means {seen[lower]} already"
            own.add(lower)
        seen |= {name: pair.name for name in own if name not in seen}


def _names(pair: Pair) -> Iterator[tuple[str, str]]:
    yield "name", pair.name
    yield from (("aliases", alias) for alias in pair.aliases)
