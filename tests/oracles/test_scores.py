"""Sparse linear scores, and what is asked of a user's own m."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from oracles import naive
from rankwise.oracles import BooleanFeatures, Oracle, SparseLinear, UniformFeatures
from rankwise.oracles import _checks as checks


@given(st.integers(1, 12), st.integers(2, 6), st.data(), st.integers(0, 1000))
def test_scores_match_the_plain_twin(n_features, n_labels, data, seed):
    sparsity = data.draw(st.integers(1, n_features))
    m = SparseLinear(n_features, n_labels, sparsity, random_state=seed)
    rng = np.random.default_rng(seed)
    for X in (rng.random((6, n_features)) < 0.5, rng.normal(size=(6, n_features))):
        expected = naive.sparse_linear(X, m.supports, m.weights, m.intercepts)
        np.testing.assert_allclose(m(X), expected, atol=1e-13)


@given(st.integers(1, 10), st.integers(2, 5), st.integers(0, 10**6))
def test_scores_on_the_cube_lie_between_a_quarter_and_three_quarters(r, n_labels, seed):
    m = SparseLinear(10, n_labels, r, random_state=seed)
    best = m.weights > 0
    highest = m(best)[np.arange(n_labels), np.arange(n_labels)]
    lowest = m(~best)[np.arange(n_labels), np.arange(n_labels)]
    assert (lowest >= 0.25 - 1e-12).all()
    assert (highest <= 0.75 + 1e-12).all()
    assert (highest - lowest >= 0.45 - 1e-12).all()
    np.testing.assert_allclose(highest + lowest, 1.0)


def test_each_label_has_its_own_informative_features_and_no_others():
    m = SparseLinear(100, 5, 10, random_state=3)
    assert m.weights.shape == (5, 100)
    for label, support in enumerate(m.supports):
        assert len(set(support.tolist())) == 10
        assert np.flatnonzero(m.weights[label]).tolist() == support.tolist()
    assert len({tuple(support) for support in m.supports}) == 5


def test_features_outside_a_support_do_not_move_a_score():
    m = SparseLinear(20, 3, 4, random_state=0)
    X = BooleanFeatures(20).sample(50, np.random.default_rng(0))
    for label, support in enumerate(m.supports):
        other = ~X
        other[:, support] = X[:, support]
        assert (m(other)[:, label] == m(X)[:, label]).all()


def test_clean_scores_of_few_features_do_not_tie():
    _, Y = Oracle(SparseLinear(6, 3, 2, random_state=0)).sample(2000, random_state=0)
    disjoint = Oracle(SparseLinear(60, 3, 2, random_state=1)).sample(2000, random_state=0)[1]
    assert (np.sort(disjoint, axis=1) == [1, 2, 3]).all()
    assert (np.sort(Y, axis=1) == [1, 2, 3]).all()


def test_the_same_rows_score_the_same_in_any_dtype_order_or_container():
    m = SparseLinear(8, 3, 3, random_state=0)
    X = BooleanFeatures(8).sample(40, np.random.default_rng(0))
    frozen = X.copy()
    frozen.flags.writeable = False
    expected = m(X)
    for same in (X.astype(int), X.astype(float), np.asfortranarray(X), frozen, pd.DataFrame(X)):
        np.testing.assert_array_equal(m(same), expected)
    np.testing.assert_array_equal(m(X[::-1])[::-1], expected)
    np.testing.assert_array_equal(m(X[7:8]), expected[7:8])


def test_random_state_decides_the_scores():
    first, again, other = (SparseLinear(50, 4, 5, random_state=s).weights for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 3, 6), "sparsity is 6 but there are only 5 features"),
        ((5, 1, 2), "n_labels is 1; use a whole number of 2 or more"),
        ((0, 3, 1), "n_features is 0"),
        ((5, 3, 0), "sparsity is 0"),
        ((5, 3, 2.5), "sparsity is 2.5; use a whole number"),
        ((True, 3, 1), "n_features is True"),
    ],
)
def test_bad_sizes_are_named(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SparseLinear(*arguments)


@pytest.mark.parametrize(
    ("m", "message"),
    [
        (lambda X: X[:, 0], r"m\(X\) has shape \(4,\); expected \(4, n_labels\)"),
        (lambda X: X[:2], r"m\(X\) has shape \(2, 3\)"),
        (lambda X: X[:, :1], "at least two labels"),
        (lambda X: np.where(X > 2, np.nan, X), "row 3: label 1 has score nan"),
        (lambda X: np.where(X > 2, np.inf, X), "row 3: label 1 has score inf"),
        (lambda X: [["a", "b"]] * len(X), "must return numbers"),
        (lambda X: None, "has shape"),
    ],
)
def test_a_bad_score_function_gets_a_clear_error(m, message):
    X = np.ones((4, 3))
    X[3, 1] = 3
    with pytest.raises((ValueError, TypeError), match=message):
        Oracle(m).truth(X)


def test_a_score_function_sees_numbers_not_booleans():
    oracle = Oracle(
        lambda X: np.stack([X[:, 0] + X[:, 1], X[:, 0] - X[:, 1] + 0.5], axis=1),
        features=BooleanFeatures(2, p=1),
    )
    assert oracle.sample(1, random_state=0)[1].tolist() == [[1, 2]]


def test_blocks_of_rows_give_the_same_scores_and_name_the_right_row(monkeypatch):
    X = UniformFeatures(3).sample(50, np.random.default_rng(0))
    whole = Oracle(lambda X: X**2).truth(X)
    monkeypatch.setattr(checks, "_BLOCK_CELLS", 30)
    np.testing.assert_array_equal(Oracle(lambda X: X**2).truth(X), whole)
    X[33, 2] = 7
    with pytest.raises(ValueError, match="row 33: label 2 has score nan"):
        Oracle(lambda X: np.where(X == 7, np.nan, X)).truth(X)
    with pytest.raises(ValueError, match="3 labels at row 0 but 2 at row 30"):
        Oracle(lambda X: X[:, :2] if (X == 7).any() else X).truth(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([0.1, 0.2], "X has shape"),
        ([[np.nan, 1.0]], "row 0: feature 0 is nan"),
        ([[1.0, np.inf]], "row 0: feature 1 is inf"),
        ([["a", "b"]], "needs numbers"),
        ([[1 + 2j, 0]], "X has dtype complex128; an oracle needs numbers"),
        (np.array([["2020-01-01", "2021-01-01"]], dtype="M8[D]"), "needs numbers"),
        (csr_array(np.eye(2)), r"X is a sparse matrix; use X.toarray\(\)"),
        (np.empty((0, 2)), r"X has shape \(0, 2\); give \(n_samples, n_features\), both above 0"),
        ([[1.0, 2.0, 3.0]], "X has 3 features; this oracle's scores are defined on 2"),
    ],
)
def test_bad_features_are_named(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Oracle(SparseLinear(2, 3, 1)).truth(X)
