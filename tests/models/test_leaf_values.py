"""Expected values: the mixture of what was measured in the leaves of a row, kept with the model."""

import numpy as np
import pytest

import rankwise as rw
from rankwise.baselines import KNNKemeny
from rankwise.models import Column, LeafValues, ModelFileError, Recipe, TableModel, fit_values


def problem(n=50, k=3, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    values = 1e4 + np.column_stack([X[:, 0], X[:, 1], np.zeros(n)]) + rng.normal(size=(n, k)) / 9
    values[rng.random(values.shape) < missing] = np.nan
    return X, values, rw.ranks_from_scores(values)


def plain_mixture(ranker, X, values, x):
    """Of each label mean and deviation of what its trees give: each tree one draw from its leaf."""
    k = values.shape[1]
    means, seconds = np.full((2, k), np.nan)
    for j in range(k):
        of_trees = []
        for member in ranker._members:
            if member.decomposition_ == "pairwise":
                continue
            own, new = member._trees.leaves(X), member._trees.leaves(x[None])
            for t in range(len(own)):
                if member.decomposition_ == "labelwise" and t % k != j:
                    continue
                found = values[own[t] == new[t, 0], j]
                found = found[~np.isnan(found)]
                if len(found):
                    of_trees.append((found.mean(), (found**2).mean()))
        if of_trees:
            means[j], seconds[j] = np.mean(of_trees, axis=0)
    return means, np.sqrt(np.maximum(seconds - means**2, 0))


@pytest.mark.parametrize(
    ("ranker", "missing"),
    [
        (rw.TreeRanker(min_samples_leaf=6), 0.0),
        (rw.ForestRanker(6, min_samples_leaf=4, random_state=0, decomposition="labelwise"), 0.0),
        (rw.ForestRanker(6, min_samples_leaf=4, random_state=0, decomposition="joint"), 0.0),
        (rw.TreeRanker(min_samples_leaf=6, decomposition="joint_pairwise"), 0.3),
    ],
)
def test_expected_values_are_those_of_the_plain_mixture(ranker, missing):
    X, values, Y = problem(missing=missing)
    ranker.fit(X, Y)
    kept = fit_values(ranker, X, values, higher_is_better=True)
    expected, spread = kept.predict(ranker, X[:7] + 0.01)
    for i in range(7):
        means, deviations = plain_mixture(ranker, X, values, X[i] + 0.01)
        np.testing.assert_allclose(expected[i], means, rtol=1e-6)
        np.testing.assert_allclose(spread[i], deviations, atol=5e-3)


def test_pairs_alone_and_rankers_without_leaves_know_no_values():
    X, values, Y = problem()
    pairs = rw.TreeRanker(decomposition="pairwise").fit(X, Y)
    assert fit_values(pairs, X, values, higher_is_better=True) is None
    near = KNNKemeny(3).fit(X, Y)
    assert fit_values(near, X, values, higher_is_better=True) is None
    X, values, Y = problem(missing=0.3)
    mixed = rw.ForestRanker(8, random_state=0).fit(X, Y)
    assert mixed.decomposition_ == "mixed"
    expected, _ = fit_values(mixed, X, values, higher_is_better=True).predict(mixed, X[:3])
    assert (np.abs(expected - 1e4) < 4).all()


def table_model():
    X, values, Y = problem()
    forest = rw.ForestRanker(4, random_state=0).fit(X, Y)
    kept = fit_values(forest, X, values, higher_is_better=True, unit="%")
    recipe = Recipe((Column("u"), Column("v")))
    return TableModel(forest, recipe, ("a", "b", "c"), values=kept), X


def test_values_are_kept_in_the_file_and_stand_in_the_table(tmp_path):
    import pandas as pd

    model, X = table_model()
    rw.save_model(model, tmp_path / "m.rankwise")
    again = rw.load_model(tmp_path / "m.rankwise")
    for ours, theirs in zip(again.predict_values(X), model.predict_values(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (again.values.unit, again.values.higher_is_better) == ("%", True)
    table = again.predict_table(pd.DataFrame(X, columns=["u", "v"]))
    assert list(table.columns[-6:]) == [f"{w}_{x}" for x in "abc" for w in ("value", "spread")]
    np.testing.assert_allclose(table["value_b"], model.predict_values(X)[0][:, 1], rtol=1e-3)


def test_values_of_another_forest_are_refused(tmp_path):
    model, _ = table_model()
    few = [table[:-1] for table in model.values.means]
    wrong = LeafValues(few, model.values.variances, higher_is_better=True)
    odd = TableModel(model.ranker, model.recipe, model.label_names, values=wrong)
    rw.save_model(odd, tmp_path / "m.rankwise")
    with pytest.raises(ModelFileError, match="values of leaves are not those of its trees"):
        rw.load_model(tmp_path / "m.rankwise")
