"""Where values are known, what a choice costs decides who takes part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise.auto._costs import higher_is_better, mean_of_known
from rankwise.validation import Costs

QUICK = ["CostPairwise", "KNNKemeny(scale=True)"]


def yields(n, seed=0, k=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    values = X @ np.random.default_rng(1).normal(size=(4, k)) + 0.3 * rng.normal(size=(n, k))
    return X, rw.ranks_from_scores(values), values


def plain_closed(values, ranks, higher):
    """The share of the gap closed, row by row."""
    sign = 1 if higher else -1
    means = [np.mean([v for v in column if v == v] or [-sign * np.inf]) for column in values.T]
    lost, gap = [], []
    for row, told in zip(values, ranks, strict=True):
        known = [j for j in range(len(row)) if row[j] == row[j]]
        if not known:
            continue
        best = max(sign * row[j] for j in known)
        first = min(told[j] for j in known)
        chosen = [sign * row[j] for j in known if told[j] == first]
        lost.append(best - sum(chosen) / len(chosen))
        most = max(sign * means[j] for j in known)
        usual = [sign * row[j] for j in known if sign * means[j] == most]
        gap.append(best - sum(usual) / len(usual))
    return 1 - np.mean(lost) / (np.mean(gap) if np.mean(gap) > 0 else 1)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_the_share_of_the_gap_closed_is_that_of_the_plain_twin(seed, higher, gaps):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 9)), int(rng.integers(2, 5))
    values = rng.integers(0, 6, (n, k)).astype(float)
    if gaps:
        values[rng.random((n, k)) < 0.3] = np.nan
        values[0, 0] = 1.0
    ranks = rw.ranks_from_scores(rng.random((n, k)))
    found = Costs(values, higher).gap_closed(np.arange(n))(np.arange(n), ranks)
    known = found[~np.isnan(found)]
    assert known.mean() == pytest.approx(plain_closed(values, ranks, higher))


def test_which_values_are_better_is_seen_from_the_ranks_whatever_the_unit():
    _, Y, values = yields(30)
    assert higher_is_better(values, Y)
    assert not higher_is_better(-values, Y)
    scale = np.exp(np.random.default_rng(0).normal(scale=5, size=(30, 1)))
    assert higher_is_better(values * scale, Y)
    missing = np.where(np.arange(3) == 0, np.nan, values)
    assert not higher_is_better(-missing, Y)


def test_means_are_of_what_is_known():
    parts = np.array([[1.0, np.nan, np.nan], [4.0, 3.0, np.nan]])
    np.testing.assert_array_equal(mean_of_known(parts, np.array([2.0, 1.0])), [2.0, 3.0, np.nan])


def test_the_leaderboard_is_of_what_choices_cost_and_the_unit_changes_nothing():
    X, Y, values = yields(120)
    model = rw.AutoRanker(candidates=QUICK, random_state=0).fit(X, Y, values=values)
    assert model.leaderboard_.measure == "gap_closed"
    assert "gap closed" in str(model.leaderboard_)
    assert model.score_ > 0.8
    other = rw.AutoRanker(candidates=QUICK, random_state=0).fit(X, Y, values=-60 * values)
    assert other.chosen_ == model.chosen_
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_it_is_no_worse_than_the_forest_alone_where_lines_are_right():
    X, Y, values = yields(80)
    X_new, _, values_new = yields(1500, seed=7)
    lost = {}
    for name, model in {
        "auto": rw.AutoRanker(candidates=["Forest(n_estimators=30)", *QUICK], random_state=0),
        "forest": rw.ForestRanker(30, random_state=0),
    }.items():
        model.fit(X, Y, values=values)
        lost[name] = rw.metrics.regret(values_new, model.predict(X_new))
    assert lost["auto"] < lost["forest"]


def test_the_usual_learner_is_kept_where_nothing_is_clearly_better():
    rng = np.random.default_rng(3)
    X, values = rng.normal(size=(60, 2)), rng.normal(size=(60, 3))
    values[:, 0] += 1
    model = rw.AutoRanker(candidates=["Forest", *QUICK], random_state=0)
    model.fit(X, rw.ranks_from_scores(values), values=values)
    assert model.chosen_ == {"Forest": 1.0}
    assert "Forest" in model.reason_


@pytest.mark.parametrize("candidates", [["KNNKemeny"], ["CostPairwise"]])
def test_expected_values_come_back_from_a_file(tmp_path, candidates):
    X, Y, values = yields(60)
    model = rw.AutoRanker(candidates=candidates, random_state=0).fit(X, Y, values=values)
    expected, spread = model.predict_values(X[:9], return_std=True)
    # members that know no values leave it to a forest
    assert np.corrcoef(expected.ravel(), values[:9].ravel())[0, 1] > 0.5
    assert (spread >= 0).all()
    rw.save_model(model, tmp_path / "model.rankwise")
    again = rw.load_model(tmp_path / "model.rankwise")
    for old, new in zip(
        (expected, spread), again.predict_values(X[:9], return_std=True), strict=True
    ):
        np.testing.assert_array_equal(old, new)
    with pytest.raises(ValueError, match="fitted without values"):
        rw.AutoRanker(candidates=["KNNKemeny"]).fit(X, Y).predict_values(X)


def test_ties_of_runs_that_failed_are_learned_from_and_not_predicted():
    X, Y, values = yields(90)
    values = np.minimum(-values, 1.0)  # stopped runs cost alike
    Y = rw.ranks_from_scores(values, higher_is_better=False)
    assert (np.sort(Y, axis=1)[:, 1:] == np.sort(Y, axis=1)[:, :-1]).any()
    model = rw.AutoRanker(candidates=QUICK, random_state=0).fit(X, Y, values=values)
    np.testing.assert_array_equal(np.sort(model.predict(X), axis=1), np.tile([1, 2, 3], (90, 1)))
