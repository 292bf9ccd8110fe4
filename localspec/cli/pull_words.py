"""A pull's events in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.models.events import Checked, Event, Plan, Progress


def event_lines(event: Event) -> list[str]:
    """Everything but progress, in words."""
    from localspec.models.events import Checked, Done, Notice, Plan

    match event:
        case Plan():
            return _plan_lines(event)
        case Checked():
            return _checked_lines(event)
        case Notice():
            return [event.text]
        case Done():
            return [f"{event.pair.name} is ready."]
    return []


def progress_text(event: Progress) -> str:
    from localspec.models.selection import size_text

    if event.state == "present":
        return f"{size_text(event.total)} present"
    if event.state == "asking":
        return f"asking the hub what {event.file} holds"
    if event.state == "reading":
        return f"reading the header, {size_text(event.done)}"
    share = f"{size_text(event.done)} of {size_text(event.total)}"
    if event.state != "downloading":
        return f"{share} {event.state}"
    speed = f" {size_text(int(event.bytes_per_second))}/s" if event.bytes_per_second else ""
    left = "" if event.seconds_left is None else f" {_clock(event.seconds_left)} left"
    return share + speed + left


def _plan_lines(plan: Plan) -> list[str]:
    from localspec.models.plan import needed_text
    from localspec.models.selection import size_text

    gated = ", gated: its licence must be accepted on the hub" if plan.gated else ""
    lines = [f"{plan.name} (licence: {plan.license}{gated})"]
    for file in plan.files:
        origin = "is here already" if file.source == "present" else f"from {file.source}"
        lines.append(f"  {file.role:<6} {file.file} {file.quant} {size_text(file.bytes)} {origin}")
        lines.append(f"         {file.path}")
    if plan.needed_bytes:
        need, free = needed_text(plan), size_text(plan.free_bytes)
        lines.append(f"  needs {need}; {free} free on that disk")
    return lines


def _checked_lines(checked: Checked) -> list[str]:
    from localspec.cli.header_words import fit_text, header_texts, memory_text

    lines = []
    for role, header in (("target", checked.target), ("draft", checked.draft)):
        if header is not None:
            numbers, tokenizer = header_texts(header)
            lines += [f"  {role:<6} {numbers}", f"         {tokenizer}"]
    if checked.draft is not None:
        lines.append(f"  pair   {fit_text(checked.misfit, checked.draft_reason)}")
    if checked.placement is not None:
        lines.append(f"  memory {memory_text(checked.placement)}")
    return lines


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
