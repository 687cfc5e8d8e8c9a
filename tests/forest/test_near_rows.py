"""Training rows that vote beside the trees of a forest on rankings with ties."""

import numpy as np
import pytest

import rankwise as rw
from forest import naive
from rankwise.forest import _near_rows as near_rows
from rankwise.forest._near_rows import N_NEAR, NearRows


def smooth(n=120, d=6, k=4, seed=0):
    """Features that act together; utilities are rounded, so that labels are tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rw.ranks_from_scores(np.round(X @ rng.normal(size=(d, k)) / 2))


@pytest.fixture(scope="module")
def fitted():
    X, Y = smooth()
    model = rw.ForestRanker(20, random_state=0).fit(X, Y)
    assert NearRows in map(type, model._voters)
    return model, X, Y


def near_share(model):
    return sum(voter.share for voter in model._voters)


def before(model, votes):
    return np.where(np.eye(model.n_labels_, dtype=bool), 0.0, model._before_of(votes))


def test_votes_are_those_of_the_twin_with_gaps_weights_and_equal_rows():
    X, Y = smooth(40, d=3)
    X[::7, 1] = np.nan
    X[5], X[:, 2] = X[4], 0.1  # two rows are one place, a feature is constant
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    model = rw.ForestRanker(2, random_state=0).fit(X, Y)
    near = NearRows.of(X, Y, weights, 0.2)
    new = np.concatenate([smooth(5, d=3, seed=3)[0], X[4:6]])
    expected = [naive.votes(X.tolist(), Y.tolist(), weights.tolist(), x, N_NEAR) for x in new]
    np.testing.assert_allclose(before(model, near.votes(new)), expected, atol=1e-9)


def test_neighbours_are_asked_where_features_act_together_and_not_where_one_alternates():
    assert near_share(rw.ForestRanker(20, random_state=0).fit(*smooth(seed=2))) > 0.2
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[:, 0] = rng.integers(0, 12, 300)
    # the next value of the feature that decides has the other ranking
    Y = np.where(X[:, :1] % 2 == 0, [1.0, 2.0, 2.0], [2.0, 2.0, 1.0])
    assert near_share(rw.ForestRanker(random_state=0).fit(X, Y)) < 0.1


@pytest.mark.parametrize("options", [{"ties": "never"}, {"n_estimators": 1}, {"bootstrap": False}])
def test_no_neighbours_without_ties_with_one_tree_or_with_no_row_left_out(options):
    options = {"n_estimators": 6, **options}
    assert rw.ForestRanker(random_state=0, **options).fit(*smooth(40))._voters == []


def test_neither_strict_nor_incomplete_rankings_ask_neighbours_nor_do_they_after_tied_ones():
    X, Y = smooth(60)
    strict = np.argsort(np.argsort(Y, axis=1), axis=1) + 1.0
    gaps = np.where(np.arange(60)[:, None] % 5 == np.arange(4), np.nan, Y)
    model = rw.ForestRanker(10, random_state=0)
    for other in (strict, gaps):
        assert model.fit(X, Y)._voters
        model.fit(X, other)
        assert "_near" not in vars(model)
        assert "_left_out_last" not in vars(model)


def test_too_many_rows_or_numbers_are_not_kept(monkeypatch):
    X, Y = smooth()
    for name, most in (("MOST_ROWS", 119), ("MOST_NUMBERS", 719)):
        with monkeypatch.context() as patched:
            patched.setattr(f"rankwise.forest._ranker.{name}", most)
            assert rw.ForestRanker(20, random_state=0).fit(X, Y)._voters == []
    assert near_rows.MOST_ROWS >= 20_000


def test_relabelling_relabels_predictions(fitted):
    model, X, Y = fitted
    order = [2, 0, 3, 1]
    other = rw.ForestRanker(20, random_state=0).fit(X, Y[:, order])
    assert [v.share for v in other._voters] == [v.share for v in model._voters]
    np.testing.assert_array_equal(other.predict(X), model.predict(X)[:, order])


def test_huge_and_constant_features_leave_finite_votes():
    X, Y = smooth(40)
    X[:, 0] *= 1e300
    X[:, 1] = -1e308
    X[::2, 1] = 1e308
    X[:, 2] = np.nan
    votes = NearRows.of(X, Y, None, 0.2).votes(X)
    assert np.isfinite(votes).all()
    assert np.abs(votes).max() <= 1 + 1e-9


def test_the_score_of_rows_left_out_asks_the_other_rows(fitted):
    _, X, Y = fitted
    model = rw.ForestRanker(20, oob_score=True, random_state=0).fit(X, Y)
    assert model._voters
    with_rows = model.oob_score_
    assert with_rows < model.score(X, Y)  # a row that voted on itself would be predicted as it is


@pytest.mark.parametrize("given", [True, False])
def test_an_explanation_adds_up_to_the_lead(fitted, given):
    model, X, Y = fitted
    found = rw.explain(model, X[3] + 0.1, 0, 2, **({"X": X, "Y": Y} if given else {}))
    total = found.base + sum(part.amount for part in found.contributions)
    assert total == pytest.approx(found.lead, abs=1e-9)
    assert found.lead == pytest.approx(model.predict_pairwise(X[[3]] + 0.1)[0, 0, 2] - 0.5)


def test_such_a_forest_comes_back_from_its_file(fitted, tmp_path):
    model, X, _ = fitted
    rw.save_model(model, tmp_path / "near.rankwise")
    loaded = rw.load_model(tmp_path / "near.rankwise")
    np.testing.assert_array_equal(loaded.predict_pairwise(X), model.predict_pairwise(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"share": 2.0}, "no share from 0 to 1"),
        ({"features": np.zeros((3, 6))}, "do not fit each other"),
        ({"features": np.full((120, 6), np.nan)}, "no rows of numbers"),
        ({"spread": np.zeros(6)}, "impossible numbers"),
        ({"ranks": np.ones((120, 3), np.int32)}, "other labels or features"),
        ({"directions": np.ones((5, 6))}, "how near they are"),
        ({"directions": np.full((6, 6), np.inf)}, "how near they are"),
    ],
)
def test_a_file_with_other_rows_is_refused(tmp_path, change, message):
    model = rw.ForestRanker(20, random_state=0).fit(*smooth())
    for name, value in change.items():
        object.__setattr__(model._voters[0], name, value)
    rw.save_model(model, tmp_path / "near.rankwise")
    with pytest.raises(ValueError, match=message):
        rw.load_model(tmp_path / "near.rankwise")
