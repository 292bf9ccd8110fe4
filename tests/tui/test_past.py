"""The line under a reply, from what was saved with it."""

from __future__ import annotations

import pytest

from localspec.engine.stats import Stats
from localspec.tui.dialogue import UNFINISHED
from localspec.tui.past import past_summary

SAVED = Stats().report() | {
    "num_tokens": 20,
    "tokens_per_second": 50.0,
    "num_drafts": 4,
    "acceptance_rate": 0.5,
    "ending": "cancelled",
    "off_reason": "",
    "speedup": 1.9,
}


def test_an_opened_reply_says_what_it_said_when_it_ended() -> None:
    """The speed-up was gone when a conversation was opened again."""
    line = "50 tok/s · 20 tokens · 50% of drafts accepted · 1.9x · stopped"
    assert past_summary(SAVED) == line
    assert past_summary(SAVED | {"continued": True}) == f"{line} · continued"


def test_a_reply_that_a_killed_process_left_says_so() -> None:
    assert past_summary(UNFINISHED) == "broken off · /continue goes on with it"


@pytest.mark.parametrize("field", ["speedup", "tokens_per_second", "num_tokens"])
def test_numbers_of_an_imported_file_may_be_anything(field: str) -> None:
    assert past_summary(SAVED | {field: {"a": 1}}) == ""
