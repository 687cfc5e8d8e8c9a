"""Every count of an audit equals that of its plain twin."""

from math import comb

import numpy as np
import pytest
from hypothesis import given

from audits import naive
from audits.strategies import problems, rankings
from consensus import naive as naive_consensus
from metrics import naive as naive_metrics
from rankwise.audits import audit
from rankwise.audits._repeats import find_repeats


@given(problems())
def test_contradictory_rows_are_those_of_the_plain_twin(problem):
    X, ranks = problem
    found = find_repeats(X, ranks)
    expected = naive.contradictory_rows(X.tolist(), ranks.tolist())
    assert found.n_contradictory_rows == len(expected)
    assert {row for group in found.examples for row in group} <= set(expected)


@given(rankings())
def test_ties_places_and_missing_cells_are_those_of_the_plain_twin(ranks):
    report = audit(None, ranks)
    for j, label in enumerate(report.labels):
        place = naive.mean_place(ranks.tolist(), j)
        assert label.mean_place == (None if place is None else pytest.approx(place))
        assert label.n_observed == np.isfinite(ranks[:, j]).sum()
        assert label.tie_rate * label.n_observed == pytest.approx(
            naive.tied_rows(ranks.tolist(), j)
        )


@given(rankings())
def test_groups_and_tiers_are_the_components_of_plain_reachability(ranks):
    k = ranks.shape[1]
    report = audit(None, ranks).comparisons
    for parts, directed in ((report.groups, False), (report.tiers, True)):
        linked = naive.linked(ranks.tolist(), k, directed)
        component = {int(name): part for part, names in enumerate(parts) for name in names}
        assert sorted(component) == list(range(k))
        for i in range(k):
            for j in range(k):
                together = (i, j) in linked and (j, i) in linked
                assert (component[i] == component[j]) == together


@given(rankings())
def test_no_later_tier_is_ever_put_before_an_earlier_one(ranks):
    tiers = audit(None, ranks).comparisons.tiers
    linked = naive.linked(ranks.tolist(), ranks.shape[1], directed=True)
    for late, names in enumerate(tiers):
        for earlier in tiers[:late]:
            assert (int(names[0]), int(earlier[0])) not in linked


@given(rankings())
def test_the_consensus_tau_is_the_mean_over_rows_with_a_comparison(ranks):
    report = audit(None, ranks).comparisons
    # Scores that differ by rounding alone are tied.
    scores = [
        round(score, 9)
        for score in naive_consensus.borda_scores(naive_consensus.support(ranks.tolist()))
    ]
    taus = [naive_metrics.kendall_tau(row, [-score for score in scores]) for row in ranks.tolist()]
    taus = [tau for tau in taus if tau == tau]
    if taus:
        assert report.consensus_tau == pytest.approx(np.mean(taus), abs=1e-9)
    else:
        assert report.consensus_tau is None


@pytest.mark.parametrize(("n", "n_observed"), [(20, 0), (20, 1), (20, 7), (23, 5), (20, 20)])
def test_expected_folds_without_a_label_are_hypergeometric(n, n_observed):
    ranks = np.full((n, 3), np.nan)
    ranks[:, :2] = [1, 2]
    ranks[:n_observed, 2] = 3
    sizes = [len(block) for block in np.array_split(np.arange(n), 10)]
    expected = sum(comb(n - n_observed, size) / comb(n, size) for size in sizes)
    assert audit(None, ranks).labels[2].folds_without == pytest.approx(expected, abs=1e-8)


def test_blocks_without_a_label_are_counted_in_the_order_given():
    ranks = np.tile([1.0, 2.0, 3.0], (20, 1))
    ranks[:14, 2] = np.nan
    assert audit(None, ranks).labels[2].blocks_without == 7
