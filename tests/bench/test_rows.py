"""The cost of a sampled row, in a table."""

import numpy as np

from localspec.bench.rows import KINDS, made_up_rows, row_costs, table
from tests.fakes import FakeGrammar


def test_every_kind_is_timed() -> None:
    grammar = FakeGrammar(lambda prefix: range(100), 0)
    costs = list(row_costs(2000, repeats=3, grammar=grammar))
    assert [cost.kind for cost in costs] == [*KINDS, "grammar"]
    assert all(0.0 < cost.median_s <= cost.worst_s for cost in costs)
    assert len(list(table(iter(costs)))) == len(costs) + 1


def test_rows_are_as_models_write_them() -> None:
    """A flat row would make top-p keep half of the vocabulary, and no model's does."""
    for row in made_up_rows(5000):
        probs = np.exp(row - row.max())
        assert np.sort(probs)[-20:].sum() > 0.9 * probs.sum()
