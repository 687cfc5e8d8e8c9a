"""Odd numbers, flags and containers for functions: a clear error, and no other."""

import decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise import theory
from rankwise.consensus import borda_batch, kemeny, pairwise_matrix
from rankwise.learners import find_learner
from rankwise.metrics import chosen_value, gap_closed, kendall_distance, kendall_tau, regret

Y = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]])
VALUES = np.array([[9.0, 7.0, 2.0], [3.0, 4.0, 5.0]])
NEITHER = [np.array([1, 2]), pd.Series([True, False]), pd.NA, "yes"]


@pytest.mark.parametrize("value", NEITHER, ids=["array", "Series", "NA", "text"])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("normalize", lambda value: kendall_distance(Y, Y, normalize=value)),
        ("higher_is_better", lambda value: regret(VALUES, Y, higher_is_better=value)),
        ("higher_is_better", lambda value: chosen_value(VALUES, Y, higher_is_better=value)),
        ("higher_is_better", lambda value: rw.ranks_from_scores(VALUES, higher_is_better=value)),
        ("return_result", lambda value: kemeny(Y, return_result=value)),
        ("return_weights", lambda value: pairwise_matrix(Y, return_weights=value)),
        ("allow_ties", lambda value: rw.check_rankings(Y, allow_ties=value)),
        ("allow_missing", lambda value: rw.check_rankings(Y, allow_missing=value)),
    ],
)
def test_what_is_neither_true_nor_false_is_told(name, call, value):
    with pytest.raises(TypeError, match=rf"(?s){name} is .*; use True or False"):
        call(value)


@pytest.mark.parametrize("value", [np.array(["ranks", "orders"]), pd.NA], ids=["array", "NA"])
def test_what_is_neither_ranks_nor_orders_is_told(value):
    with pytest.raises(ValueError, match="give 'ranks', or 'orders'"):
        kendall_tau(Y, Y, on=value)


@pytest.mark.parametrize("cell", [10**400, Fraction(10**400, 3)], ids=["int", "Fraction"])
def test_numbers_that_no_float_holds_are_told_of_supports_and_features(cell):
    cells = np.array([[[0.5, 1.0], [1.0, 0.5]]], dtype=object)
    cells[0, 0, 1] = cell
    with pytest.raises(TypeError, match="W is not a table of numbers"):
        borda_batch(cells)
    X = np.array([[1.0], [cell]], dtype=object)
    with pytest.raises(ValueError, match="a number that no float can hold"):
        theory.diagnose(X, Y)


def test_a_support_that_is_no_number_is_told():
    with pytest.raises(TypeError, match="W is not a table of numbers"):
        borda_batch(iter([[[0, 1], [1, 0]]]))


def test_a_single_ranking_that_is_none_is_told():
    assert gap_closed([[90, 70], [40, 45]], [[1, 2], [1, 2]], pd.Series([2, 1])) == 0.75
    for single in ([None, decimal.Decimal("sNaN"), 1], iter([2, 1, 3]), [[1, 2], [3]]):
        with pytest.raises((TypeError, ValueError)) as told:
            gap_closed(VALUES, Y, single)
        assert "Y_" in str(told.value)


@pytest.mark.parametrize(
    "value",
    ["-" * 100_000 + "1", "1+" * 50_000 + "1", "a." * 50_000 + "b", "{[]: 1}", "1, max_depth=2"],
    ids=["signs", "sums", "names", "a list as a key", "twice"],
)
def test_parameters_of_a_learner_that_cannot_be_read_are_told(value):
    with pytest.raises(ValueError, match="write each parameter once as name=value"):
        find_learner(f"Tree(max_depth={value})")


def test_labels_in_an_array_without_items_are_told():
    with pytest.raises(TypeError, match="give a list of names"):
        rw.check_rankings(Y, labels=np.array("tea"))


def test_more_labels_than_a_table_can_have_are_told():
    with pytest.raises(ValueError, match="n_labels is 1000000000000"):
        rw.ranks_from_orders([[0, 1]], n_labels=10**12)
