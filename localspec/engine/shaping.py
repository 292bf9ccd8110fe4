"""The first half of the chain: penalties on what was said already, then the logit bias."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from localspec.engine.arrays import Logits, Tokens
from localspec.engine.distribution import Ids
from localspec.engine.params import SamplingParams


class Shaping:
    """Changes few logits of a row, by the committed tokens and those ahead of them."""

    def __init__(self, params: SamplingParams) -> None:
        self._params = params
        self._recent: Tokens = np.empty(0, np.int32)
        self._bias_ids = np.array([token for token, _ in params.logit_bias], np.int64)
        self._biases = np.array([bias for _, bias in params.logit_bias], np.float32)
        self._rows: dict[int, Logits] = {}
        self.active = params.penalises or len(params.logit_bias) > 0

    def begin(self, prompt: Sequence[int] | Tokens) -> None:
        self._recent = self._window(np.asarray(prompt, np.int32))

    def commit(self, tokens: Sequence[int]) -> None:
        self._recent = self._window(self._recent, tokens)

    def _window(self, tokens: Tokens, more: Sequence[int] = ()) -> Tokens:
        """The last tokens that penalties look at."""
        if not self._params.penalises:
            return self._recent
        joined = np.concatenate([tokens, np.asarray(more, np.int32)])
        last = self._params.repeat_last_n
        return joined if last < 0 else joined[-last:]

    def row(self, logits: Logits, ahead: Sequence[int]) -> Logits:
        """The row with its few changes; itself when there are none. It lasts until the next call.

        One copy into a buffer that is kept: the row is native memory that is only read.
        """
        if not self.active:
            return logits
        row = self._rows.setdefault(len(logits), np.empty_like(logits))
        np.copyto(row, logits)
        if self._params.penalises:
            ids, counts = np.unique(self._window(self._recent, ahead), return_counts=True)
            # A draft's vocabulary may be shorter than the target's.
            known = ids < len(row)
            self._penalise(row, ids[known].astype(np.int64), counts[known])
        known = self._bias_ids < len(row)
        row[self._bias_ids[known]] += self._biases[known]
        return row

    def _penalise(self, row: Logits, ids: Ids, counts: npt.NDArray[np.int64]) -> None:
        """As llama.cpp does, in float32: dividing a negative logit would make it likelier."""
        params = self._params
        repeat = np.float32(params.repeat_penalty)
        frequency = np.float32(params.frequency_penalty)
        values = row[ids]
        values = np.where(values <= 0, values * repeat, values / repeat)
        row[ids] = values - (
            counts.astype(np.float32) * frequency + np.float32(params.presence_penalty)
        )
