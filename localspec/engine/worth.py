"""Whether a draft model is worth reading at all, by costs alone."""

import numpy as np
import numpy.typing as npt

from localspec.engine.costs import CostTable

_GOOD_TEXT = 0.97
"""Acceptance rate on a text that suits the model well."""
LEAST_GAIN = 1.05


def speedups(
    costs: CostTable, rate: float, max_guesses: int, bucket: int = 0
) -> npt.NDArray[np.float64]:
    """Against plain decoding, by number of guesses - 1, each accepted with `rate`."""
    target_s, step_s = costs.target(bucket), float(costs.draft(bucket)[1])
    lengths = np.arange(1, min(max_guesses, len(target_s) - 2) + 1)
    committed = 1.0 + np.cumsum(rate**lengths)
    speedups: npt.NDArray[np.float64] = (
        committed * target_s[1] / (lengths * step_s + target_s[lengths + 1])
    )
    return speedups


def can_pay(costs: CostTable, max_guesses: int) -> bool:
    """Whether some number of the model's guesses beats plain decoding on a text that suits it."""
    return bool((speedups(costs, _GOOD_TEXT, max_guesses) > LEAST_GAIN).any())
