"""Every number of a reply and of its conversation, side by side, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from localspec.engine.stats import Stats
from localspec.engine.totals import total, total_speedup
from localspec.tui import figures
from localspec.tui.numbers import Numbers
from localspec.tui.untrusted import displayable

_MOST_PLACES = 32
_BAR = 5


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    last: str
    every: str = ""


Section = tuple[str, list[Row]]


def together(replies: Sequence[Numbers]) -> Numbers:
    """All replies as one. How long the model took to load is none of theirs."""
    whole = replace(total(reply.stats for reply in replies), load_s=0.0)
    rates = ((n.stats, n.plain.tokens_per_second if n.plain else None) for n in replies)
    return Numbers(whole, speedup=total_speedup(rates))


def sections(replies: Sequence[Numbers]) -> list[Section]:
    """The last reply's numbers, then those of all of them."""
    last, every = replies[-1], together(replies)
    both = (last.stats, every.stats)
    parts: list[Section] = [
        ("Tokens", _rows(both, _TOKENS)),
        ("Speed", _speed(last, every)),
        ("Drafts", [Row("speculation", str(last.state or "")), *_rows(both, _DRAFTS)]),
        ("Accepted by place in the draft", _places(*both)),
        ("Accepted by source", _sources(*both)),
        ("Passes by source", _passes(*both)),
        ("Time", _times(*both)),
    ]
    return [(title, rows) for title, rows in parts if rows]


Show = Callable[[Stats], str]

_TOKENS: dict[str, Show] = {
    "of the prompt": lambda stats: f"{stats.num_prompt_tokens:,}",
    "of these, in the cache already": lambda stats: f"{stats.num_cached_tokens:,}",
    "of the reply": lambda stats: f"{stats.num_tokens:,}",
}
_DRAFTS: dict[str, Show] = {
    "passes of the target": lambda stats: f"{stats.num_rounds:,}",
    "of these, with drafts": lambda stats: f"{stats.num_drafts:,}",
    "draft tokens tested": lambda stats: f"{stats.num_draft_tokens:,}",
    "draft tokens accepted": lambda stats: f"{stats.num_accepted_tokens:,}",
    "acceptance rate": lambda stats: figures.share(stats.acceptance_rate),
    "tokens a pass with drafts": lambda stats: figures.length(stats.mean_acceptance_length),
    "draft tokens a pass": lambda stats: figures.length(stats.mean_draft_length),
}


def _rows(both: tuple[Stats, Stats], shows: dict[str, Show]) -> list[Row]:
    return [Row(name, *map(show, both)) for name, show in shows.items()]


def _speed(last: Numbers, every: Numbers) -> list[Row]:
    plain = last.plain
    rates = [figures.rate(each.stats.tokens_per_second) for each in (last, every)]
    rows = [Row("tokens per second", *rates)]
    rows += [
        Row("plain decoding", figures.rate(plain.tokens_per_second if plain else None)),
        Row("measured on", str(plain or figures.NOTHING)),
        Row("speed-up", figures.speedup(last.speedup), figures.speedup(every.speedup)),
        Row("first token after", _seconds(last.stats.ttft_s)),
        Row("loading the model", _seconds(last.stats.load_s)),
    ]
    return rows


def _places(last: Stats, every: Stats) -> list[Row]:
    num = min(_MOST_PLACES, len(every.num_draft_tokens_per_pos))
    return [Row(str(place + 1), _place(last, place), _place(every, place)) for place in range(num)]


def _place(stats: Stats, place: int) -> str:
    if place >= len(stats.num_draft_tokens_per_pos):
        return ""
    tested = stats.num_draft_tokens_per_pos[place]
    return _accepted(stats.num_accepted_tokens_per_pos[place], tested)


def _sources(last: Stats, every: Stats) -> list[Row]:
    def of(stats: Stats, source: str) -> str:
        tested = stats.num_draft_tokens_per_source.get(source, 0)
        return _accepted(stats.num_accepted_tokens_per_source.get(source, 0), tested)

    names = sorted(every.num_draft_tokens_per_source)[:_MOST_PLACES]
    return [Row(displayable(name), of(last, name), of(every, name)) for name in names]


def _passes(last: Stats, every: Stats) -> list[Row]:
    def of(stats: Stats, source: str) -> str:
        return f"{stats.num_rounds_per_source.get(source, 0):,}"

    names = sorted(every.num_rounds_per_source, key=lambda name: (name == "none", name))
    return [
        Row(
            "without a draft" if name == "none" else displayable(name),
            of(last, name),
            of(every, name),
        )
        for name in names[:_MOST_PLACES]
    ]


def _times(last: Stats, every: Stats) -> list[Row]:
    shows: dict[str, Show] = {
        "reading the prompt": lambda stats: _part(stats.prefill_s, stats),
        "drafting": lambda stats: _part(stats.draft_s, stats),
        "verifying": lambda stats: _part(stats.verify_s, stats),
        "sampling": lambda stats: _part(stats.sample_s, stats),
        "other": lambda stats: _part(stats.overhead_s, stats),
        "together": lambda stats: f"{_seconds(stats.prefill_s + stats.decode_s):>8}",
        "outside the models' passes": lambda stats: f"{figures.share(stats.python_share):>13}",
    }
    return _rows((last, every), shows)


def _accepted(accepted: int, tested: int) -> str:
    if not tested:
        return ""
    filled, empty = figures.bar(accepted / tested, _BAR)
    return f"{filled}{empty} {accepted / tested:>4.0%} of {tested:,}"


def _part(seconds: float, stats: Stats) -> str:
    whole = stats.prefill_s + stats.decode_s
    return f"{_seconds(seconds):>8} {seconds / whole:>4.0%}" if whole and seconds else "     n/a"


def _seconds(seconds: float) -> str:
    if not seconds:
        return figures.NOTHING
    return f"{seconds:,.2f} s" if seconds >= 0.0995 else f"{seconds * 1000:,.1f} ms"
