"""Whether a draft model is worth reading at all, by costs alone."""

import numpy as np

from localspec.engine.costs import CostTable

_GOOD_TEXT = 0.97
"""Acceptance rate on a text that suits the model well."""
_LEAST_GAIN = 1.05


def can_pay(costs: CostTable, max_guesses: int) -> bool:
    """Whether some number of the model's guesses beats plain decoding on a text that suits it."""
    target_s, step_s = costs.target(0), float(costs.draft(0)[1])
    lengths = np.arange(1, min(max_guesses, len(target_s) - 2) + 1)
    committed = 1.0 + np.cumsum(_GOOD_TEXT**lengths)
    seconds = lengths * step_s + target_s[lengths + 1]
    return bool((committed * target_s[1] > _LEAST_GAIN * seconds).any())
