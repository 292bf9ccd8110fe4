"""A reply on the command line: text on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from localspec.chat.events import Burst, Event, Failed, Finished, Loading, Notice, Ready
from localspec.chat.state import NO_DRAFT, State, speculation_state
from localspec.cli.failure import printable, say
from localspec.engine.interface import Prefill
from localspec.errors import LocalspecError


class StatusLine:
    """One line on a terminal's stderr that is rewritten; nothing elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        if self._live:
            # A carriage return and spaces need no escape code, so NO_COLOR is honoured too.
            print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)  # noqa: T201
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            print(f"\r{'':<60}\r", end="", file=sys.stderr, flush=True)  # noqa: T201
            self._shown = False


class BackendFailure(LocalspecError):
    """A Failed event as an error."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message, failed.hint)
        self.exit_code = failed.exit_code


def show_loading(events: Iterator[Event], spec: str) -> Ready:
    """Follow a load to its end, and say why there is no draft model. Raises BackendFailure."""
    status = StatusLine()
    said = ""
    try:
        for event in events:
            match event:
                case Loading():
                    where = f" on {event.device}" if event.device else ""
                    status.show(f"loading the {event.model}{where} {event.progress:4.0%}")
                case Notice():
                    status.clear()
                    note(event.text)
                    said += event.text
                case Ready():
                    status.clear()
                    reason = event.spec_off_reason
                    if reason and reason not in said and spec == "auto":
                        looks = f"; `localspec drafts {event.name}` looks for one"
                        note(f"no draft model: {reason}{looks if reason == NO_DRAFT else ''}")
                    return event
                case Failed():
                    raise BackendFailure(event)
    finally:
        status.clear()
    raise LocalspecError("The model did not load.")


def stream_reply(events: Iterator[Event], quiet: bool) -> Finished:
    """Write the reply to stdout as it comes, unless `quiet`. Raises BackendFailure."""
    status = StatusLine()
    try:
        for event in events:
            match event:
                case Prefill():
                    status.show(f"reading the prompt {event.num_read}/{event.num_total}")
                case Burst():
                    status.clear()
                    if not quiet:
                        sys.stdout.write(printable(event.text))
                        sys.stdout.flush()
                case Notice():
                    status.clear()
                    note(event.text)
                case Finished():
                    if not quiet and not event.text.endswith("\n"):
                        sys.stdout.write("\n")
                    return event
                case Failed():
                    raise BackendFailure(event)
    finally:
        status.clear()
    raise LocalspecError("The reply ended without a result.")


def note(text: str) -> None:
    say(f"localspec: {printable(text)}")


def statistics(finished: Finished) -> str:
    """The one line of numbers under a reply."""
    stats = finished.stats
    speed = stats["tokens_per_second"]
    parts = [
        f"{speed:.1f} tok/s" if speed else "n/a tok/s",
        f"{stats['num_tokens']} token{'' if stats['num_tokens'] == 1 else 's'}",
        _drafts(finished),
        f"prompt {stats['num_prompt_tokens']} in {stats['prefill_s']:.2f} s",
        f"seed {finished.seed}",
    ]
    reasons = {"length": "token limit", "context": "context full", "cancelled": "stopped"}
    if finished.finish_reason in reasons:
        parts.append(reasons[finished.finish_reason])
    return " · ".join(parts)


def _drafts(finished: Finished) -> str:
    rate = finished.stats["acceptance_rate"]
    length = finished.stats["mean_acceptance_length"]
    state = f"speculation {state_of(finished)}"
    if rate is None:
        return state
    return f"{state}, {rate:.0%} of drafts accepted, {length:.2f} tokens a pass"


def state_of(finished: Finished) -> State:
    """A reply from an old recording has only its numbers."""
    if finished.state is None:
        return speculation_state(finished.stats["num_drafts"], "")
    return State(finished.state, finished.state_reason)


def as_json(finished: Finished, ready: Ready) -> str:
    """The object of `--json`."""
    names = ("text", "token_ids", "finish_reason", "spec", "seed", "stats")
    fields = asdict(finished)
    state = state_of(finished)
    speculation = {"state": state.kind, "reason": state.reason}
    shown = {name: fields[name] for name in names}
    placement = {"target": ready.device, "draft": ready.draft_device or None, "ctx": ready.n_ctx}
    loaded = {"model": ready.name, "placement": placement}
    return json.dumps(loaded | shown | {"speculation": speculation})
