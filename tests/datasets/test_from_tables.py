"""Rankings made of classification and regression tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_friedman1
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rankwise.datasets import from_classification, from_regression, load, make_friedman
from rankwise.datasets._generated import friedman1


def test_classes_are_ordered_by_probability():
    X, y = load_iris(return_X_y=True)
    dataset = from_classification(X, y)
    probabilities = GaussianNB().fit(X, y).predict_proba(X)
    first = np.argmin(dataset.ranks, axis=1)
    assert_array_equal(first, probabilities.argmax(axis=1))
    for row, p in zip(dataset.ranks, probabilities, strict=True):
        if len(set(p)) == 3:
            assert_array_equal(np.argsort(row), np.argsort(-p))


def test_probabilities_that_vanish_are_still_told_apart():
    X = np.array([[0.0], [0.1], [100.0], [100.1], [5000.0], [5000.1]])
    dataset = from_classification(X, list("aabbcc"))
    assert_array_equal(dataset.ranks[0], [1, 2, 3])


def test_permuting_rows_permutes_the_rankings():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    assert_array_equal(
        from_classification(X[order], y[order]).ranks, from_classification(X, y).ranks[order]
    )


def test_any_classifier_with_probabilities_serves():
    X, y = load_iris(return_X_y=True, as_frame=True)
    dataset = from_classification(X, y, classifier=DecisionTreeClassifier(max_depth=1))
    assert dataset.feature_names == tuple(X.columns)
    assert (dataset.ranks == 1).sum(axis=1).max() == 2
    with pytest.raises(TypeError, match="gives no probabilities"):
        from_classification(X, y, classifier=LinearSVC())


@given(arrays(np.float64, (8, 5), elements=st.integers(-4, 4).map(float)), st.booleans())
def test_columns_are_standardised_before_they_are_compared(table, higher):
    chosen = [4, 1, 2]
    if any(np.ptp(table[:, j]) == 0 for j in chosen):
        with pytest.raises(ValueError, match="never varies"):
            from_regression(table, chosen)
        return
    dataset = from_regression(table, chosen, higher_is_better=higher)
    assert dataset.label_names == ("A5", "A2", "A3")
    assert_array_equal(dataset.features, table[:, [0, 3]])
    standard = (table - table.mean(axis=0)) / table.std(axis=0).clip(1e-300)
    sign = -1 if higher else 1
    for ranks, values in zip(dataset.ranks, sign * standard[:, chosen], strict=True):
        for a in range(3):
            for b in range(3):
                if abs(values[a] - values[b]) > 1e-9:
                    assert (ranks[a] < ranks[b]) == (values[a] < values[b])


def test_scaling_and_shifting_label_columns_changes_nothing():
    table = np.random.default_rng(1).normal(size=(50, 6))
    moved = table * [1, 1, 1, 100, 0.01, 7] + [0, 0, 0, -5, 3, 1000]
    assert_array_equal(
        from_regression(moved, [3, 4, 5]).ranks, from_regression(table, [3, 4, 5]).ranks
    )


def test_missing_label_cells_are_missing_labels_and_names_come_from_the_frame():
    frame = pd.DataFrame({"x": [1, 2, 3], "tea": [1, 2, np.nan], "coffee": [3, 1, 2]})
    dataset = from_regression(frame, ["tea", "coffee"])
    assert dataset.label_names == ("tea", "coffee")
    assert_array_equal(np.isnan(dataset.ranks), [[0, 0], [0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([0], "at least two"),
        ([0, 0], "twice"),
        ([0, 9], "column 9: X has 3 columns, 0 to 2"),
        (["A1", "B"], "no column 'B'"),
    ],
)
def test_bad_columns_are_named(columns, message):
    with pytest.raises(ValueError, match=message):
        from_regression(np.random.default_rng(0).normal(size=(5, 3)), columns)


def test_bad_tables_are_named():
    with pytest.raises(ValueError, match="y has shape"):
        from_classification([[1.0], [2.0]], [0])
    with pytest.raises(ValueError, match="one class"):
        from_classification([[1.0], [2.0]], [0, 0])
    with pytest.raises(ValueError, match="not a number"):
        from_regression([["a", 1, 2]], [1, 2])
    with pytest.raises(TypeError, match="columns is the text"):
        from_regression([[1, 2, 3]], "A1")


def test_the_friedman_scores_are_scikit_learns():
    X, y = make_friedman1(200, n_features=9, random_state=3)
    assert np.allclose(friedman1(X), y)


def test_the_friedman_set_is_reproducible_and_complete():
    first, again = make_friedman(500), make_friedman(500)
    assert_array_equal(first.features, again.features)
    assert_array_equal(first.ranks, again.ranks)
    assert_array_equal(np.sort(first.ranks, axis=1), np.tile(np.arange(1.0, 6.0), (500, 1)))
    assert (make_friedman(500, random_state=1).features != first.features).any()
    with pytest.raises(ValueError, match="at least 2"):
        make_friedman(1)


@pytest.mark.parametrize(("name", "shape"), [("iris", (150, 4, 3)), ("wine", (178, 13, 3))])
def test_iris_and_wine_need_no_file(name, shape, monkeypatch):
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    dataset = load(f"generated/{name}")
    assert (dataset.n_samples, dataset.n_features, dataset.n_labels) == shape
    assert not np.isnan(dataset.ranks).any()
