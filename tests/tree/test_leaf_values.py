"""Expected values: the mixture of what was measured in the leaves of a row, kept with the model."""

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.datasets import read
from rankwise.models import Column, ModelFileError, Recipe, TableModel
from rankwise.tree._leaf_values import LeafValues, spread_factor


def problem(n=50, k=3, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    values = 1e4 + np.column_stack([X[:, 0], X[:, 1], np.zeros(n)]) + rng.normal(size=(n, k)) / 9
    values[rng.random(values.shape) < missing] = np.nan
    return X, values, rw.ranks_from_scores(values)


def plain_mixture(ranker, X, values, x, weights=None):
    """Of each label mean and deviation of what its trees give: each tree one draw from its leaf."""
    k = values.shape[1]
    weights = np.ones(len(X)) if weights is None else weights
    means, seconds = np.full((2, k), np.nan)
    pairs = [pair for pair in np.ndindex(k, k) if pair[0] < pair[1]]
    all_pairs = all(member.decomposition_ == "pairwise" for member in ranker._members)
    last = ranker._members[-1]
    for j in range(k):
        of_trees = []
        for member in ranker._members:
            # trees of pairs are asked where there are no others, and then those of the last kind alone
            if member.decomposition_ == "pairwise" and not (all_pairs and member is last):
                continue
            own, new = member._trees.leaves(X), member._trees.leaves(x[None])
            for t in range(len(own)):
                if member.decomposition_ == "labelwise" and t % k != j:
                    continue
                if member.decomposition_ == "pairwise" and j not in pairs[t % len(pairs)]:
                    continue
                there = (own[t] == new[t, 0]) & ~np.isnan(values[:, j]) & (weights > 0)
                if there.any():
                    v, w = values[there, j] - 1e4, weights[there]
                    of_trees.append((np.average(v, weights=w), np.average(v**2, weights=w)))
        if of_trees:
            means[j], seconds[j] = np.mean(of_trees, axis=0)
    return 1e4 + means, np.sqrt(np.maximum(seconds - means**2, 0))


@pytest.mark.parametrize(
    ("ranker", "missing"),
    [
        (rw.TreeRanker(min_samples_leaf=6), 0.0),
        (rw.TreeRanker(min_samples_leaf=6, by_cost=True), 0.3),
        (rw.ForestRanker(6, min_samples_leaf=4, random_state=0, decomposition="labelwise"), 0.0),
        (rw.ForestRanker(6, min_samples_leaf=4, random_state=0, decomposition="joint"), 0.0),
        (rw.TreeRanker(min_samples_leaf=6, decomposition="joint_pairwise"), 0.3),
        (rw.ForestRanker(9, random_state=0), 0.3),
        (rw.ForestRanker(9, random_state=0), 0.0),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_expected_values_are_those_of_the_plain_mixture(ranker, missing, weighted):
    X, values, Y = problem(missing=missing)
    weights = np.arange(len(X)) % 4 / 2 if weighted else None
    ranker.fit(X, Y, sample_weight=weights, values=values)
    expected, spread = ranker.predict_values(X[:7] + 0.01, return_std=True)
    np.testing.assert_array_equal(expected, ranker.predict_values(X[:7] + 0.01))
    for i in range(7):
        means, deviations = plain_mixture(ranker, X, values, X[i] + 0.01, weights)
        np.testing.assert_allclose(expected[i], means, atol=1e-5)
        np.testing.assert_allclose(spread[i], ranker._spread_factor * deviations, atol=1e-5)


def test_values_leave_the_trees_as_they_are_unless_pairs_are_weighed_by_them():
    X, values, Y = problem()
    for ranker in (
        rw.TreeRanker(random_state=0),
        rw.ForestRanker(9, by_cost=False, random_state=0),
        rw.ForestRanker(9, decomposition="labelwise", random_state=0),
    ):
        plain = ranker.fit(X, Y).predict_pairwise(X + 0.1)
        np.testing.assert_array_equal(
            plain, ranker.fit(X, Y, values=values).predict_pairwise(X + 0.1)
        )


def test_who_was_fitted_without_values_says_how_to_be_asked_for_them():
    X, values, Y = problem()
    forest = rw.ForestRanker(4, random_state=0).fit(X, Y, values=values)
    forest.predict_values(X)
    with pytest.raises(ValueError, match=r"fit it with fit\(X, y, values=values\)"):
        forest.fit(X, Y).predict_values(X)
    values[3, 1] = np.inf
    with pytest.raises(ValueError, match="row 3: label 1 has the value inf; put the cutoff"):
        forest.fit(X, Y, values=values)
    values[3, 1] = -1e200
    with pytest.raises(ValueError, match=r"row 3: label 1 has the value -1e\+200; its square"):
        forest.fit(X, Y, values=values)


def test_names_in_are_names_out_and_gaps_in_features_are_taken():
    X, values, Y = problem()
    X[::5, 0] = np.nan
    names = ["a", "b", "c"]
    forest = rw.ForestRanker(6, random_state=0)
    forest.fit(X, pd.DataFrame(Y, columns=names), values=pd.DataFrame(values, columns=names))
    expected, spread = forest.predict_values(X, return_std=True)
    assert list(expected.columns) == list(spread.columns) == names
    assert expected.notna().all(axis=None)


def noisy(n, rng, scale):
    X = rng.uniform(-1, 1, size=(n, 3))
    truth = np.column_stack([10 * X[:, 0], 5 * X[:, 1] ** 2, 3 + 0 * X[:, 0], X.sum(axis=1)])
    return X, truth + scale * rng.normal(size=truth.shape)


@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_about_68_percent_of_new_values_lie_within_one_spread(leaf, scale):
    rng = np.random.default_rng(3)
    X, values = noisy(200, rng, scale)
    forest = rw.ForestRanker(60, min_samples_leaf=leaf, random_state=0)
    forest.fit(X, rw.ranks_from_scores(values), values=values)
    new, found = noisy(2000, rng, scale)
    expected, spread = forest.predict_values(new, return_std=True)
    assert 0.62 < (np.abs(found - expected) <= spread).mean() < 0.74


def test_spreads_are_stretched_by_what_was_left_out():
    errors, ones = np.linspace(-1, 1, 2001), np.ones(2001)
    assert spread_factor(errors, ones) == pytest.approx(0.6827, abs=2e-3)
    assert spread_factor(errors, ones / 4) == pytest.approx(2 * 0.6827, abs=4e-3)
    assert spread_factor(np.array([np.nan]), np.array([1.0])) == 1.0
    assert spread_factor(np.ones(3), np.zeros(3)) == 1.0  # nothing to stretch


def saved(tmp_path, model):
    rw.save_model(model, tmp_path / "m.rankwise")
    return rw.load_model(tmp_path / "m.rankwise")


def fitted_forest():
    X, values, Y = problem()
    return rw.ForestRanker(6, random_state=0).fit(X, Y, values=values), X


def test_values_are_kept_in_the_file_and_stand_in_the_table(tmp_path):
    forest, X = fitted_forest()
    again = saved(tmp_path, forest)
    for ours, theirs in zip(
        again.predict_values(X, return_std=True),
        forest.predict_values(X, return_std=True),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)
    model = TableModel(forest, Recipe((Column("u"), Column("v"))), ("a", "b", "c"))
    table = saved(tmp_path, model).predict_table(pd.DataFrame(X, columns=["u", "v"]))
    assert list(table.columns[-6:]) == [f"{w}_{x}" for x in "abc" for w in ("value", "spread")]
    np.testing.assert_allclose(table["value_b"], forest.predict_values(X)[:, 1], rtol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: LeafValues(v.centre, v.means[:-1], v.variances), "not those of its trees"),
        (lambda v: LeafValues(v.centre[:2], v.means, v.variances), "not those of its trees"),
        (lambda v: LeafValues(v.centre, v.means, v.variances.astype(np.float64)), "no tables of"),
        (lambda v: LeafValues(v.centre * np.nan, v.means, v.variances), "from no number"),
        (lambda v: "values", "no known kind"),
    ],
)
def test_values_of_another_forest_are_refused(tmp_path, change, message):
    forest, _ = fitted_forest()
    member = next(m for m in forest._members if "_leaf_values" in vars(m))
    member._leaf_values = change(member._leaf_values)
    with pytest.raises(ModelFileError, match=message):
        saved(tmp_path, forest)


def test_a_spread_that_is_stretched_by_no_number_is_refused(tmp_path):
    forest, _ = fitted_forest()
    forest._spread_factor = float("inf")
    with pytest.raises(ModelFileError, match="stretched by no number"):
        saved(tmp_path, forest)


def test_the_same_of_yields_from_a_file_with_replicates(tmp_path):
    rng = np.random.default_rng(1)
    lines = ["substrate;conditions;yield;pKa;size"]
    for i in range(240):
        acid, size = rng.uniform(2, 14), rng.uniform(1, 9)
        for name, mean in {"Cu": 75 - 4 * abs(acid - 9), "Pd": 80 - 6 * size, "Ni": 40}.items():
            for _ in range(1 + (rng.random() < 0.3)):
                amount = float(np.clip(mean + rng.normal(0, 6), 0, 100))
                lines.append(f"S{i};{name};{amount:.1f};{acid:.1f};{size:.1f}".replace(".", ","))
    (tmp_path / "yields.csv").write_text("\n".join(lines))
    roles = {"row": "substrate", "label": "conditions", "value": "yield"}
    data = read(tmp_path / "yields.csv", columns=roles, higher_is_better=True)
    old, new = data.take(np.arange(120)), data.take(np.arange(120, 240))
    forest = rw.ForestRanker(60, random_state=0).fit(*old, values=old.values)
    expected, spread = forest.predict_values(new.X, return_std=True)
    assert 0.6 < np.mean(np.abs(new.values - expected) <= spread, axis=None) < 0.77
    assert 4 < np.median(spread) < 12  # a single run varies by 6
