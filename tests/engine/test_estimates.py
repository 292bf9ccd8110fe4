"""What is learned of a source: rates by row, a shift of them all, and the flow of evidence."""

import json

import numpy as np
import pytest

from localspec.drafters.predicted import PredictedSource
from localspec.drafters.suffix import SuffixSource
from localspec.engine.estimates import (
    NUM_STATES,
    AcceptanceRates,
    EvidenceFlow,
    Experience,
    Memory,
    start_state,
)
from localspec.engine.evidence import (
    NUM_MODEL_EVIDENCE,
    NUM_PROBABILITY_BINS,
    model_evidence,
    probability_bin,
    top_probability,
)
from localspec.engine.prior import Experiences, prior

MEMORY = Memory(decay=0.99, strength=8.0, step=0.2)


def test_without_observations_the_prior_holds() -> None:
    assert AcceptanceRates([0.2, 0.9], MEMORY).rates.tolist() == pytest.approx([0.2, 0.9])


def test_a_row_learns_its_own_rate() -> None:
    rates = AcceptanceRates([0.5, 0.5], MEMORY)
    rng = np.random.default_rng(0)
    for _ in range(400):
        rates.observe(0, float(rng.random() < 0.9))
        rates.observe(1, float(rng.random() < 0.2))
    assert rates.rates[0] == pytest.approx(0.9, abs=0.08)
    assert rates.rates[1] == pytest.approx(0.2, abs=0.08)


def test_a_text_that_suits_the_source_moves_rows_that_were_not_seen() -> None:
    """Thirteen rows that each need ten tries never learned anything within a reply."""
    rates = AcceptanceRates([0.3, 0.3, 0.6], MEMORY)
    for _ in range(12):
        rates.observe(0, 1.0)
    assert rates.rates[1] > 0.4
    assert rates.rates[2] > 0.7
    for _ in range(60):
        rates.observe(0, 0.0)
    assert rates.rates[1] < 0.3


@pytest.mark.parametrize("accepted", [0.0, 1.0])
def test_rates_stay_between_impossible_and_certain(accepted: float) -> None:
    """A rate of 1 made an endless draft, one of 0 could never be unlearned."""
    rates = AcceptanceRates([0.0, 1.0], MEMORY)
    for _ in range(5000):
        rates.observe(0, accepted)
        rates.observe(1, accepted)
    assert np.all((rates.rates > 0.0) & (rates.rates < 1.0))


def test_the_flow_is_a_distribution_that_follows_what_is_seen() -> None:
    flow = EvidenceFlow(np.ones((2, 3)).tolist(), MEMORY)
    for _ in range(50):
        flow.observe(0, 2)
    assert flow.shares.sum(axis=1).tolist() == pytest.approx([1.0, 1.0])
    assert flow.shares[0, 2] > 0.8
    assert flow.shares[1].tolist() == pytest.approx([1 / 3] * 3)


def test_probabilities_fall_into_rows_in_order() -> None:
    rows = [probability_bin(p) for p in (0.0, 0.05, 0.1, 0.55, 0.94, 0.96, 0.99, 0.999, 1.0)]
    assert rows == sorted(rows)
    assert rows[0] == 0
    assert rows[-1] == NUM_PROBABILITY_BINS - 1


def test_a_free_sources_word_counts_beside_the_models_when_it_is_likely() -> None:
    bins = NUM_PROBABILITY_BINS
    assert model_evidence(3, 7, None) == model_evidence(3, 7, (7, 0.2)) == 3
    assert model_evidence(3, 7, (7, 0.9)) == bins + 3
    assert model_evidence(3, 7, (8, 0.9)) == 2 * bins + 3
    assert model_evidence(bins - 1, 7, (8, 0.9)) == NUM_MODEL_EVIDENCE - 1


def test_the_probability_of_a_token_is_the_softmax() -> None:
    row = np.array([1.0, 3.0, 2.0], np.float32)
    expected = np.exp(row) / np.exp(row).sum()
    for token in range(3):
        assert top_probability(row, token) == pytest.approx(float(expected[token]))
    huge = np.array([-1e38, 1e38, 0.0], np.float32)
    assert top_probability(huge, 1) == 1.0
    assert top_probability(huge, 0) == 0.0


def test_the_shipped_prior_fits_every_source() -> None:
    """A table of another length than its source has rows ended the first reply."""
    rows = {
        "draft": NUM_MODEL_EVIDENCE,
        "suffix": SuffixSource().num_evidence,
        "predicted": PredictedSource([]).num_evidence,
    }
    for regime in ("greedy", "sampled"):
        tables = prior()[regime]
        assert {name: len(rates) for name, rates in tables["certain"].items()} == rows
        assert len(tables["drawn"]["draft"]) == NUM_MODEL_EVIDENCE
        assert np.array(tables["flow"]).shape == (NUM_STATES, NUM_MODEL_EVIDENCE)
        Experience.from_prior(json.loads(json.dumps(tables)))
    assert start_state("copying") + 1 == NUM_STATES


def test_each_temperature_has_its_own_experience_and_keeps_it() -> None:
    known = Experiences()
    assert known.at(0.0) is known.at(0.0)
    assert known.at(0.7) is known.at(0.71)
    assert known.at(0.7) is not known.at(1.2)
