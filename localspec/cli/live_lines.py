"""One live line for each file of a pull, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from localspec.cli import pull_words as words
from localspec.cli.failure import printable
from localspec.models import events


class LiveLines:
    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        # File names come from outside: nothing here may read them as markup.
        self._bars = Progress(
            TextColumn("{task.fields[role]:<6}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            refresh_per_second=4,
        )
        self._tasks: dict[str, TaskID] = {}
        self._asking: TaskID | None = None
        self._bars.start()

    def show(self, event: events.Event) -> None:
        match event:
            case events.Plan():
                self._print(event)
                for file in event.files:
                    if file.missing_bytes:
                        self._task(file.file, file.role, file.bytes, "waiting for its turn")
            case events.Progress(state="asking"):
                self._asking = self._task(event.file, event.role, 0, words.progress_text(event))
            case events.Progress():
                self._answered()
                task = self._task(event.file, event.role, event.total, "")
                note = printable(words.progress_text(event))
                self._bars.update(task, completed=event.done, total=event.total, note=note)
            case _:
                self._print(event)

    def _answered(self) -> None:
        """A repository is no file: its line goes when the files' come."""
        if self._asking is not None:
            self._bars.remove_task(self._asking)
            self._tasks = {key: task for key, task in self._tasks.items() if task != self._asking}
            self._asking = None

    def close(self) -> None:
        self._answered()
        self._bars.stop()

    def _print(self, event: events.Event) -> None:
        for line in words.event_lines(event):
            self._bars.console.print(printable(line), soft_wrap=True)

    def _task(self, file: str, role: str, total: int, note: str) -> TaskID:
        if file not in self._tasks:
            self._tasks[file] = self._bars.add_task("", total=total, role=role, note=note)
        return self._tasks[file]
