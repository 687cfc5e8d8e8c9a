"""The neighbour methods against plain twins: who is asked, what is averaged, how many are chosen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from baselines import naive
from baselines.mallows import fit_mallows
from baselines.strategies import features, rankings
from metrics import naive as naive_metrics
from rankings import naive as naive_rankings
from rankwise.baselines import (
    InstanceMallows,
    InstancePlackettLuce,
    KernelRidgeKemeny,
    KNNKemeny,
)
from rankwise.baselines import _kernel_ridge as kernel_ridge
from rankwise.baselines import _neighbours as neighbours
from rankwise.baselines._instance_plackett_luce import (
    PRIOR,
    observed_orders,
    strengths_of_groups,
)
from rankwise.baselines._kernel_ridge import _losses_left_out, choose_ridge
from rankwise.consensus import kemeny
from rankwise.metrics import kendall_tau

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
few = settings(max_examples=15, deadline=None)


def compared(Y):
    return [r for r, row in enumerate(Y) if naive_rankings.counted_pairs(row)]


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@given(Y=rankings(missing=True, ties=True), seed=st.integers(0, 99))
@few
def test_kemenys_average_is_the_share_of_neighbours_and_its_decoding_their_consensus(Y, seed):
    X, rows = features(len(Y), seed), compared(Y)
    new = features(3, seed + 100)
    count = min(3, len(rows))
    model = KNNKemeny(count).fit(X, Y)
    shares, ranks = model.predict_pairwise(new), model.predict(new)
    for x, share, predicted in zip(new, shares, ranks, strict=True):
        asked = Y[[rows[r] for r in naive.nearest_rows(X[rows], x, count)]]
        vector = np.mean([naive.kemeny_vector(row) for row in asked], axis=0)
        np.testing.assert_allclose(
            2 * share[np.triu_indices(Y.shape[1], 1)] - 1, vector, atol=1e-12
        )
        best = kemeny(asked, return_result=True)
        distance = sum(naive_metrics.pair_counts(row, predicted)[2] for row in asked)
        assert distance == pytest.approx(best.distance)


@pytest.mark.parametrize("embedding", ["kemeny", "hamming", "lehmer"])
@given(Y=rankings(), seed=st.integers(0, 99))
@few
def test_the_number_of_neighbours_has_the_least_error_on_rows_left_out(embedding, Y, seed):
    X = features(len(Y), seed)
    embed = getattr(naive, f"{embedding}_vector")
    vectors = np.array([embed(row) for row in Y])
    errors = {}
    for count in KNNKemeny.candidates:
        if count < len(Y):
            means = [
                vectors[naive.nearest_rows(X, X[r], count, without=r)].mean(axis=0)
                for r in range(len(Y))
            ]
            errors[count] = round(float(((means - vectors) ** 2).mean()), 12)
    best = min(errors, key=lambda count: errors[count])
    assert KNNKemeny(embedding=embedding).fit(X, Y).n_neighbors_ == best


@given(Y=rankings(missing=True), seed=st.integers(0, 99))
@few
def test_mallows_models_are_those_of_the_neighbours_by_standardised_features(Y, seed):
    X, rows = features(len(Y), seed) * [1, 10, 100], compared(Y)
    kept = X[rows]
    count = min(4, len(rows))
    model = InstanceMallows(count).fit(X, Y)
    spread = np.where(kept.std(axis=0) > 0, kept.std(axis=0), 1)
    scaled = (kept - kept.mean(axis=0)) / spread
    new = features(2, seed + 100) * [1, 10, 100]
    for r, x in enumerate((new - kept.mean(axis=0)) / spread):
        asked = Y[[rows[a] for a in naive.nearest_rows(scaled, x, count)]]
        centre, theta = fit_mallows(asked)
        np.testing.assert_array_equal(model.predict(new)[r], centre)
        assert model.predict_theta(new)[r] == pytest.approx(theta)


def test_mallows_and_plackett_luce_choose_the_highest_tau_on_rows_left_out():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(26, 2))
    Y = np.argsort(np.argsort(X @ rng.normal(size=(2, 4)) + rng.normal(size=(26, 4))), axis=1) + 1.0
    scaled = standardised(X)
    for method in (InstanceMallows, InstancePlackettLuce):
        taus = {}
        for count in method.candidates:
            predicted = []
            for r in range(len(Y)):
                asked = Y[naive.nearest_rows(scaled, scaled[r], count, without=r)]
                same = method(count).fit(np.zeros((count, 2)), asked)
                predicted.append(same.predict(np.zeros((1, 2)))[0])
            taus[count] = kendall_tau(Y, np.array(predicted))
        assert method().fit(X, Y).n_neighbors_ == max(taus, key=lambda count: taus[count])


def test_rows_left_out_never_ask_themselves_even_among_equal_rows():
    X = np.zeros((6, 2))
    Y = np.tile([1.0, 2.0], (6, 1))
    model = KNNKemeny(3).fit(X, Y)
    [(others, starts)] = model._others(np.arange(6), [3])
    # rows at one place are asked together
    np.testing.assert_array_equal(starts, np.arange(7) * 5)
    assert not (others.reshape(6, 5) == np.arange(6)[:, None]).any()


def test_rows_at_one_place_are_asked_together_and_as_few_places_as_are_needed():
    X = [[0.0], [1.0], [1.0], [3.0], [7.0]]
    Y = [[1, 2], [2, 1], [2, 1], [1, 2], [1, 2]]
    model = KNNKemeny(2).fit(X, Y)
    # of 0: itself and both rows at 1; of 3: itself and both at 1; of 7: itself and 3
    assert model.predict_pairwise([[0.0], [3.0], [7.0]])[:, 0, 1] == pytest.approx(
        [1 / 3, 1 / 3, 1]
    )


def test_many_places_are_sampled_evenly_for_the_choice(monkeypatch):
    asked = []
    monkeypatch.setattr(neighbours, "CHOICE_ROWS", 5)
    monkeypatch.setattr(
        KNNKemeny, "_losses", lambda self, rows, groups: asked.append(rows) or range(len(groups))
    )
    Y = np.tile([1.0, 2.0], (41, 1))
    KNNKemeny().fit(np.arange(41.0)[:, None], Y)
    np.testing.assert_array_equal(asked[0], [0, 9, 18, 27, 36])
    # 30 rows at each of 4 places: all rows of one place
    KNNKemeny().fit(np.repeat(np.arange(4.0), 30)[:, None], np.tile([1.0, 2.0], (120, 1)))
    np.testing.assert_array_equal(asked[1], np.arange(30))


def crowded(seed, n=60, k=4):
    """Rows at few places, at equal distances, with rankings that disagree."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3)).astype(float)
    scores = X @ rng.normal(size=(3, k)) + rng.normal(scale=2, size=(n, k))
    return X, np.argsort(np.argsort(scores, axis=1), axis=1) + 1.0


NEIGHBOURS = pytest.mark.parametrize("method", [KNNKemeny, InstanceMallows, InstancePlackettLuce])


@NEIGHBOURS
@pytest.mark.parametrize("seed", range(12))
def test_permuting_rows_changes_neither_the_choice_nor_the_shares(method, seed):
    X, Y = crowded(seed)
    rows = np.random.default_rng(seed + 1).permutation(len(X))
    before, after = method().fit(X, Y), method().fit(X[rows], Y[rows])
    assert after.n_neighbors_ == before.n_neighbors_
    new = crowded(seed + 100)[0]
    np.testing.assert_allclose(after.predict_pairwise(new), before.predict_pairwise(new), rtol=1e-9)


@NEIGHBOURS
def test_permuting_rows_does_not_change_which_of_many_are_left_out(method, monkeypatch):
    monkeypatch.setattr(neighbours, "CHOICE_ROWS", 20)
    for seed in range(6):
        X, Y = crowded(seed, 90)
        rows = np.random.default_rng(seed).permutation(len(X))
        assert method().fit(X[rows], Y[rows]).n_neighbors_ == method().fit(X, Y).n_neighbors_


@NEIGHBOURS
@pytest.mark.parametrize("seed", range(12))
def test_permuting_labels_does_not_change_the_choice(method, seed):
    X, Y = crowded(seed)
    labels = np.random.default_rng(seed + 1).permutation(Y.shape[1])
    assert method().fit(X, Y[:, labels]).n_neighbors_ == method().fit(X, Y).n_neighbors_


@given(Y=rankings(missing=True, max_rows=6))
@few
def test_plackett_luce_strengths_equal_the_plain_algorithm(Y):
    Y = Y[compared(Y)]
    k = Y.shape[1]
    got = strengths_of_groups(observed_orders(Y), np.arange(len(Y)), np.array([0, len(Y)]))[0]
    orders = [[j for j in np.argsort(row) if not np.isnan(row[j])] for row in Y]
    plain = naive.plackett_luce_strengths(orders, k, PRIOR / (k - 1), rounds=600)
    np.testing.assert_allclose(np.log(got), np.log(plain), atol=0.05)


@given(Y=rankings(missing=True, max_rows=6), seed=st.integers(0, 99))
@few
def test_no_other_strengths_are_likelier(Y, seed):
    Y = Y[compared(Y)]
    k = Y.shape[1]
    orders = [[j for j in np.argsort(row) if not np.isnan(row[j])] for row in Y]
    got = strengths_of_groups(observed_orders(Y), np.arange(len(Y)), np.array([0, len(Y)]))[0]
    best = naive.plackett_luce_log_likelihood(got, orders, PRIOR / (k - 1))
    rng = np.random.default_rng(seed)
    for size in (0.02, 0.3, 2.0):
        other = got * np.exp(rng.normal(scale=size, size=k))
        likelihood = naive.plackett_luce_log_likelihood(other, orders, PRIOR / (k - 1))
        assert likelihood <= best + 1e-3


def test_strengths_stay_finite_where_all_rows_agree_on_many_labels():
    Y = np.tile(np.arange(1.0, 101.0), (5, 1))
    strengths = strengths_of_groups(observed_orders(Y), np.arange(5), np.array([0, 5]))[0]
    assert np.isfinite(strengths).all()
    assert (np.diff(strengths) < 0).all()


def test_two_labels_have_the_strengths_of_the_closed_form():
    orders = np.array([[0, 1], [1, 0]])
    got = strengths_of_groups(orders, np.array([0, 0, 0, 1]), np.array([0, 4]))[0]
    assert got[0] / got[1] == pytest.approx((3 + PRIOR) / (1 + PRIOR), rel=1e-3)


@given(seed=st.integers(0, 10**6), alpha=st.sampled_from([0.01, 0.5]))
@few
def test_kernel_ridge_errors_left_out_equal_fitting_without_each_row(seed, alpha):
    rng = np.random.default_rng(seed)
    X, targets = rng.normal(size=(8, 2)), rng.normal(size=(8, 3))
    [got] = _losses_left_out(X, targets, (alpha,), 0.7)
    errors = naive.ridge_errors_left_out(rbf_kernel(X, gamma=0.7), targets, alpha)
    assert got == pytest.approx((errors**2).mean())


def test_kernel_ridge_takes_the_pair_of_least_error():
    rng = np.random.default_rng(0)
    X, targets = rng.normal(size=(20, 2)), rng.normal(size=(20, 3))
    alphas, gammas = (0.01, 1.0), (0.1, 5.0)
    losses = {
        (a, g): (naive.ridge_errors_left_out(rbf_kernel(X, gamma=g), targets, a) ** 2).mean()
        for a in alphas
        for g in gammas
    }
    assert choose_ridge(X, targets, alphas, gammas) == min(losses, key=lambda pair: losses[pair])


def test_permuting_rows_does_not_change_the_ridge(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "CHOICE_ROWS", 12)
    for seed in range(8):
        X, Y = crowded(seed, 80)
        rows = np.random.default_rng(seed).permutation(len(X))
        one, other = KernelRidgeKemeny().fit(X, Y), KernelRidgeKemeny().fit(X[rows], Y[rows])
        assert (one.alpha_, one.gamma_) == (other.alpha_, other.gamma_)


@pytest.mark.parametrize(
    "model",
    [KNNKemeny(4), InstanceMallows(4), InstancePlackettLuce(4), KernelRidgeKemeny(0.1, 0.5)],
    ids=lambda model: type(model).__name__,
)
def test_renaming_labels_renames_predictions(model):
    rng = np.random.default_rng(0)
    X, Y = features(30), np.argsort(rng.random((30, 4)), axis=1) + 1.0
    new, turned = features(20, 1), [2, 0, 3, 1]
    before = model.fit(X, Y).predict_pairwise(new)
    after = model.fit(X, Y[:, turned]).predict_pairwise(new)
    if not isinstance(model, InstanceMallows):  # Borda's equal sums go to the lower label
        np.testing.assert_allclose(after, before[:, turned][:, :, turned], atol=1e-3)
    np.testing.assert_allclose(after + after.transpose(0, 2, 1), 1)


def test_values_of_neighbours_are_what_to_expect(tmp_path):
    import rankwise as rw

    rng = np.random.default_rng(0)
    X, values = rng.normal(size=(30, 2)), 1e5 + rng.normal(size=(30, 3))
    values[rng.random(values.shape) < 0.2] = np.nan
    Y = rw.ranks_from_scores(values)
    model = KNNKemeny(4)
    plain = model.fit(X, Y).predict(X)
    np.testing.assert_array_equal(model.fit(X, Y, values=values).predict(X), plain)
    rw.save_model(model, tmp_path / "m.rankwise")
    found = rw.load_model(tmp_path / "m.rankwise").predict_values(X[:9] + 0.01, return_std=True)
    kept = np.flatnonzero((~np.isnan(Y)).sum(axis=1) > 1)
    for i in range(9):
        near = kept[np.argsort(((X[kept] - X[i] - 0.01) ** 2).sum(axis=1))[:4]]
        for j in range(3):
            own = values[near, j][~np.isnan(values[near, j])]
            expected = (own.mean(), own.std()) if len(own) else (np.nan, np.nan)
            np.testing.assert_allclose([part[i, j] for part in found], expected, atol=1e-6)
    model._kept_values = model._kept_values[:-1]
    rw.save_model(model, tmp_path / "bad.rankwise")
    with pytest.raises(rw.models.ModelFileError, match="_kept_values is not of shape"):
        rw.load_model(tmp_path / "bad.rankwise")
    with pytest.raises(ValueError, match="was fitted without values"):
        model.fit(X, Y).predict_values(X)
