"""The engine's penalties are llama.cpp's, on the same rows."""

import ctypes

import llama_cpp
import numpy as np
import pytest

from localspec.engine.sampling import SamplingParams
from localspec.engine.shaping import Shaping

VOCAB = 500


def by_llama_cpp(row: np.ndarray, tokens: list[int], params: SamplingParams) -> np.ndarray:
    sampler = llama_cpp.llama_sampler_init_penalties(
        VOCAB,
        params.repeat_last_n,
        params.repeat_penalty,
        params.frequency_penalty,
        params.presence_penalty,
    )
    for token in tokens:
        llama_cpp.llama_sampler_accept(sampler, token)
    data = (llama_cpp.llama_token_data * VOCAB)()
    for token in range(VOCAB):
        data[token] = llama_cpp.llama_token_data(token, row[token], 0.0)
    array = llama_cpp.llama_token_data_array(data, VOCAB, -1, False)
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))
    llama_cpp.llama_sampler_free(sampler)
    return np.array([data[token].logit for token in range(VOCAB)], np.float32)


@pytest.mark.parametrize("last", [1, 8, 64])
@pytest.mark.parametrize(
    ("repeat", "presence", "frequency"),
    [(1.3, 0.0, 0.0), (0.7, 0.0, 0.0), (1.0, 0.5, 0.0), (1.0, 0.0, -0.3), (1.2, -0.4, 0.9)],
)
def test_the_same_logits(last: int, repeat: float, presence: float, frequency: float) -> None:
    params = SamplingParams(
        repeat_penalty=repeat,
        presence_penalty=presence,
        frequency_penalty=frequency,
        repeat_last_n=last,
    )
    rng = np.random.default_rng(last)
    tokens = rng.integers(0, 30, 100).tolist()
    row = rng.normal(0.0, 3.0, VOCAB).astype(np.float32)
    shaping = Shaping(params)
    shaping.begin(tokens[:60])
    shaping.commit(tokens[60:80])
    ours = shaping.row(row, tokens[80:])
    assert ours == pytest.approx(by_llama_cpp(row, tokens, params), rel=1e-6, abs=1e-6)
