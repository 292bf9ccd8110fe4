"""What Enter and Ctrl+D may do with a model: refusals, and the question before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localspec.errors import LocalspecError
from localspec.models.fit_verdict import FitVerdict
from localspec.models.removal import Removal
from localspec.models.selection import choices, size_text
from localspec.models.shelf import ShelfPair
from localspec.tui import model_words
from localspec.tui.pulling import Pulling

if TYPE_CHECKING:
    from localspec.models.examining import Verdict


def refuse_pull(pair: ShelfPair, pulling: Pulling) -> None:
    """Raises LocalspecError for what can't be pulled, or not now."""
    if pair.is_own:
        told = f"{pair.name}'s files are gone or changed, and they are your own."
        raise LocalspecError(told, f"Add them again: `localspec add {pair.name} --target FILE`.")
    _refuse_second(pulling, pair.name)


def refuse_place(verdict: Verdict, pulling: Pulling) -> None:
    """Raises LocalspecError for a pair that doesn't match or has no room; nothing is fetched."""
    if verdict.misfit:
        told = f"{verdict.misfit} Nothing was fetched."
        raise LocalspecError(told, "`localspec pull --no-draft` takes the target alone.")
    if verdict.missing_bytes > verdict.free_bytes:
        raise LocalspecError(verdict.refusal, "Free some space, or choose a smaller one.")
    _refuse_second(pulling, verdict.name)


def _refuse_second(pulling: Pulling, name: str) -> None:
    progress = pulling.progress
    if progress is None:
        return
    if pulling.is_of(name):
        raise LocalspecError(f"{name} is being pulled already.", "Ctrl+X cancels that.")
    told = f"{progress.name} is being pulled, and one pull runs at a time."
    raise LocalspecError(told, "Wait for its end, or cancel it by Ctrl+X.")


def pull_question(pair: ShelfPair, verdict: FitVerdict | None) -> str:
    size = model_words.pull_size(pair, verdict)
    if pair.state == "partial":
        return f"Go on with the pull, {size} are left? Enter again."
    if verdict and verdict.fits is False:
        return f"It is {verdict.text}. Pull {size} all the same? Enter again."
    return f"Pull {size}? Enter again."


def place_question(verdict: Verdict) -> str:
    size = size_text(verdict.missing_bytes)
    if verdict.refusal:
        return f"{verdict.refusal} Pull {size} all the same? Enter again."
    return f"Pull {size}? Enter again."


def refuse_delete(pair: ShelfPair, used: str, pulling: Pulling) -> None:
    """Raises LocalspecError."""
    if pair.name == used:
        raise LocalspecError(f"{pair.name} is in use.", "Take another model first.")
    if pulling.is_of(pair.name):
        raise LocalspecError(f"{pair.name} is being pulled.", "Ctrl+X cancels that.")


def delete_question(planned: Removal) -> str:
    what = f"Delete {planned.name} and free {size_text(planned.freed_bytes)}?"
    if not planned.deleted:
        what = f"Forget {planned.name}?"
    kept = "; ".join(f"{path.name} stays, {reason}" for path, reason in planned.kept)
    return f"{what} Ctrl+D again." + (f" {kept}." if kept else "")


def deleted_words(done: Removal) -> str:
    if not done.deleted:
        return f"{done.name} is forgotten; its files stay."
    return f"{done.name} is deleted; {size_text(done.freed_bytes)} freed."


def pulled_quant(pair: ShelfPair, verdict: FitVerdict | None) -> str | None:
    """Just what was offered; None where the pull goes on as it began, or nobody knows."""
    if pair.state != "absent" or pair.entry is None:
        return None
    wanted = verdict.quant if verdict and verdict.quant else pair.target.quant
    listed = [file.quant for file in choices(pair.entry, "target")]
    return wanted if wanted in listed else None
