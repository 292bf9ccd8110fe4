"""What is known of sources before any reply: made by the tuner from the recorded traces."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from localspec.engine.estimates import Experience, Memory


@cache
def prior() -> dict[str, Any]:
    """`greedy` and `sampled` tables, and the `memory` that proved best."""
    text = files("localspec.engine").joinpath("prior.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


class Experiences:
    """One for each temperature, kept from reply to reply."""

    def __init__(self) -> None:
        self._known: dict[float, Experience] = {}

    def at(self, temperature: float) -> Experience:
        key = round(temperature, 1)
        if key not in self._known:
            tables = prior()["greedy" if key == 0.0 else "sampled"]
            self._known[key] = Experience.from_prior(tables, Memory(**prior()["memory"]))
        return self._known[key]
