"""The table of a running benchmark on a terminal."""

from __future__ import annotations

from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from localspec.bench.pace import Pace
from localspec.bench.report import KindResult, Measured, arm_results, kind_results
from localspec.bench.suite_run import Step
from localspec.cli.bench_progress import times
from localspec.cli.bench_words import ratio
from localspec.cli.failure import printable

_EVERY_S = 0.25
_BAR_WIDTH = 30


class LiveTable:
    """A row for each kind, a column for each arm. It is painted between two rounds, where no
    clock of the measurement runs, and is gone when the results are printed."""

    def __init__(self, title: str, measured: Measured, pace: Pace) -> None:
        self._title = Text(printable(title), style="bold")
        self._measured = measured
        self._pace = pace
        self._painted = 0.0
        self._table, self._num_runs = self._draw(""), 0
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def show(self, step: Step) -> None:
        now = monotonic()
        if now - self._painted < _EVERY_S:
            return
        self._painted = now
        if len(self._measured.runs) != self._num_runs or self._num_runs == 0:
            self._num_runs = len(self._measured.runs)
            self._table = self._draw(step.category)
        parts = Group(self._title, self._table, self._progress(step))
        self._live.update(parts, refresh=True)

    def close(self) -> None:
        self._live.stop()

    def _progress(self, step: Step) -> Group:
        pace = self._pace
        bar = ProgressBar(total=pace.num_runs, completed=pace.num_done, width=_BAR_WIDTH)
        where = f"prompt {step.prompt}/{step.num_prompts}, {step.category}"
        doing = f"{where} · {step.arm} · {step.num_tokens} tokens"
        runs = f"{pace.num_done}/{pace.num_runs} runs · {times(pace)}"
        return Group(bar, Text(runs), Text(printable(doing), style="dim"))

    def _draw(self, running: str) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("kind", no_wrap=True)
        for index, arm in enumerate(self._measured.arms):
            head = f"{arm} tok/s" if index == 0 else arm
            table.add_column(Text(printable(head)), justify="right", no_wrap=True)
        kinds = kind_results(self._measured)
        for category in self._measured.categories or [running]:
            of_kind = {kind.arm: kind for kind in kinds if kind.category == category}
            cells = [self._cell(of_kind.get(arm), arm) for arm in self._measured.arms]
            table.add_row(Text(printable(category)), *cells)
        means = {result.arm: result.ratio for result in arm_results(self._measured, kinds)}
        if any(means.values()):
            shown = [Text(ratio(means.get(arm)), style="bold") for arm in self._measured.arms]
            table.add_row(Text("geometric mean", style="bold"), *shown)
        return table

    def _cell(self, kind: KindResult | None, arm: str) -> Text:
        """The first arm's speed; of the others the ratio, dim where it is below 1."""
        if kind is None:
            return Text("")
        if arm == self._measured.arms[0]:
            return Text(f"{kind.tokens_per_second:.2f}")
        slower = kind.ratio is not None and round(kind.ratio, 2) < 1
        return Text(ratio(kind.ratio), style="dim" if slower else "green")
