"""Options of the sampler that can't be honoured are refused, not ignored (B42)."""

import math

import pytest

from localspec.engine.sampling import SamplingParams
from localspec.errors import UsageError


@pytest.mark.parametrize(
    "values",
    [
        {"repeat_penalty": 0.0},
        {"repeat_penalty": 11.0},
        {"repeat_penalty": math.nan},
        {"presence_penalty": 101.0},
        {"presence_penalty": math.nan},
        {"frequency_penalty": -math.inf},
        {"repeat_last_n": -2},
        {"logit_bias": ((-1, 2.0),)},
        {"logit_bias": ((1, math.nan),)},
        {"logit_bias": ((1, math.inf),)},
        {"logit_bias": ((1, 1e30),)},
        {"logit_bias": ((1, 2.0), (1, 3.0))},
        {"grammar": "root ::= [a]", "json_schema": "{}"},
    ],
)
def test_a_value_out_of_range_is_refused_in_a_sentence(values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"must (not )?(be|have)"):
        SamplingParams(**values)


def test_a_bias_for_an_id_that_the_model_does_not_have_is_refused() -> None:
    params = SamplingParams(logit_bias=((99, -1.0), (100, -math.inf)))
    params.check_ids(101)
    with pytest.raises(UsageError, match=r"one of the model's 100 ids, not 100"):
        params.check_ids(100)
