"""Ridge regression on a kernel that votes beside the trees of a forest on rankings with ties."""

import pickle

import numpy as np
import pytest

import rankwise as rw
from forest import naive
from rankwise.forest import _kernel_rows as kernel_rows
from rankwise.forest._kernel_rows import RIDGES, WIDTHS, KernelRows, choose_kernel
from rankwise.forest._near_rows import NearRows


def slow(n=150, d=12, k=4, seed=0):
    """Rankings by sums of many features, rounded, so that labels are tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rw.ranks_from_scores(np.round(X @ rng.normal(size=(d, k)) / 3))


def clusters(n=300, d=6, k=5, seed=0):
    """A class for every few clusters: who is near knows best."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(6 * k, d))
    of = rng.integers(0, 6 * k, n)
    Y = np.where(of[:, None] % k == np.arange(k), 1.0, 2.0)
    return centres[of] + 0.1 * rng.normal(size=(n, d)), Y


@pytest.fixture(scope="module")
def fitted():
    X, Y = slow()
    model = rw.ForestRanker(20, random_state=0).fit(X, Y)
    assert KernelRows in map(type, model._voters)
    return model, X, Y


def rows_with(weights=None, seed=3, **kernel):
    X, Y = slow(30, d=3, seed=seed)
    near = NearRows.of(X, Y, weights, 0.2, np.array([0.5, 0.3, 0.2]))
    return X, near, KernelRows(**near.__getstate__(), **{"width": 1.0, "ridge": 0.1, **kernel})


def test_votes_are_those_of_the_twin_with_weights():
    weights = np.random.default_rng(0).integers(0, 3, 30).astype(float)
    X, near, kernel = rows_with(weights)
    outcomes = near._outcomes.astype(float)
    counts = weights / weights.mean()
    expected = [
        naive.kernel_votes(near._places, outcomes, counts, place, 1.0, 0.1)
        for place in near._places
    ]
    np.testing.assert_allclose(kernel.votes(X), expected, atol=1e-8)


def test_width_and_ridge_have_the_least_error_on_rows_left_out():
    _, near, _ = rows_with()
    outcomes, mean = near._outcomes.astype(float), near._outcomes.mean(axis=0)

    def error(width, ridge):
        total = 0.0
        for row, place in enumerate(near._places):
            counts = np.where(np.arange(30) == row, 0.0, 1.0)
            predicted = naive.kernel_prediction(
                near._places, outcomes, counts, place, width, ridge, mean
            )
            total += ((predicted - outcomes[row]) ** 2).sum()
        return total

    found = choose_kernel(near._places, near._outcomes, np.ones(30))
    errors = {(width, ridge): error(width, ridge) for width in WIDTHS for ridge in RIDGES}
    assert errors[found] == pytest.approx(min(errors.values()))


def test_only_how_weights_compare_matters():
    weights = np.random.default_rng(0).integers(0, 3, 30).astype(float)
    X, near, kernel = rows_with(weights)
    _, other, scaled = rows_with(weights * 1e-3)
    np.testing.assert_allclose(kernel.votes(X), scaled.votes(X), atol=1e-8)
    of_near, of_other = KernelRows.like(near), KernelRows.like(other)
    assert (of_near.width, of_near.ridge) == (of_other.width, of_other.ridge)


def test_it_votes_where_rankings_change_slowly_and_near_rows_where_they_know_more(fitted):
    of_clusters = rw.ForestRanker(20, random_state=0).fit(*clusters())
    slowly, closely = ({type(v): v.share for v in m._voters} for m in (fitted[0], of_clusters))
    assert slowly[KernelRows] > slowly.get(NearRows, 0.0)
    assert closely[NearRows] > closely.get(KernelRows, 0.0)


def test_of_too_many_rows_or_outcomes_the_nearest_vote(monkeypatch):
    X, Y = slow()
    for name, most in (("MOST_KERNEL_ROWS", 149), ("MOST_OUTCOMES", 150 * 12 - 1)):
        with monkeypatch.context() as patched:
            patched.setattr(kernel_rows, name, most)
            voters = rw.ForestRanker(20, random_state=0).fit(X, Y)._voters
            assert KernelRows not in map(type, voters)


def test_relabelling_relabels_predictions(fitted):
    model, X, Y = fitted
    order = [2, 0, 3, 1]
    other = rw.ForestRanker(20, random_state=0).fit(X, Y[:, order])
    np.testing.assert_array_equal(other.predict(X), model.predict(X)[:, order])


def test_an_explanation_adds_up_to_the_lead(fitted):
    model, X, _ = fitted
    found = rw.explain(model, X[3] + 0.1, 0, 2)
    total = found.base + sum(part.amount for part in found.contributions)
    assert total == pytest.approx(found.lead, abs=1e-9)
    assert found.lead == pytest.approx(model.predict_pairwise(X[[3]] + 0.1)[0, 0, 2] - 0.5)


def test_it_comes_back_from_its_file_and_from_a_pickle(fitted, tmp_path):
    model, X, _ = fitted
    rw.save_model(model, tmp_path / "kernel.rankwise")
    for loaded in (
        rw.load_model(tmp_path / "kernel.rankwise"),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(loaded.predict_pairwise(X), model.predict_pairwise(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0.0}, "no width or ridge"),
        ({"ridge": float("nan")}, "no width or ridge"),
        ({"ridge": 1}, "no width or ridge"),
        ({"weights": np.zeros(150)}, "too many, or none counts"),
    ],
)
def test_a_file_with_another_regression_is_refused(tmp_path, change, message):
    model = rw.ForestRanker(20, random_state=0).fit(*slow())
    for name, value in change.items():
        [kernel] = [voter for voter in model._voters if type(voter) is KernelRows]
        object.__setattr__(kernel, name, value)
    rw.save_model(model, tmp_path / "kernel.rankwise")
    with pytest.raises(ValueError, match=message):
        rw.load_model(tmp_path / "kernel.rankwise")


def test_a_file_with_more_rows_than_a_fit_takes_is_refused(fitted, tmp_path, monkeypatch):
    rw.save_model(fitted[0], tmp_path / "kernel.rankwise")
    monkeypatch.setattr(kernel_rows, "MOST_KERNEL_ROWS", 149)
    with pytest.raises(ValueError, match="too many"):
        rw.load_model(tmp_path / "kernel.rankwise")
