"""Orders passed as ranks are told where features can tell, and ranks are left in peace."""

import numpy as np
import pytest

from rankwise.audits import audit
from rankwise.datasets import available, load
from rankwise.oracles import (
    GaussianFeatures,
    Mallows,
    Oracle,
    PlackettLuce,
    SparseLinear,
    Survival,
    TruncatedGaussian,
)
from rankwise.rankings import orders_from_ranks

NOISES = [None, TruncatedGaussian(0.1), Mallows(1.0), PlackettLuce(0.1)]


def draw(n_labels, noise=None, seed=0, mechanism=None):
    scores = SparseLinear(5, n_labels, 3, random_state=seed)
    oracle = Oracle(scores, features=GaussianFeatures(5), noise=noise, mechanism=mechanism)
    return oracle.sample(400, random_state=seed)


def as_orders(ranks):
    return orders_from_ranks(ranks) + 1.0


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("n_labels", [4, 6, 10])
def test_orders_are_told_and_ranks_are_not(n_labels, noise):
    X, Y = draw(n_labels, noise)
    assert not audit(X, Y).orders.looks_like_orders
    report = audit(X, as_orders(Y))
    assert report.orders.looks_like_orders
    assert report.findings[0].topic == "orders"
    assert "looks like orders" in str(report)


@pytest.mark.parametrize("n_labels", [3, 4, 5, 8])
@pytest.mark.parametrize("seed", range(5))
def test_useless_features_accuse_nobody(n_labels, seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(200, n_labels)) + rng.normal(0, 2, n_labels)
    Y = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0
    evidence = audit(rng.normal(size=(200, 4)), Y).orders
    assert not evidence.looks_like_orders


def test_both_readings_swap_when_the_rows_are_inverted():
    X, Y = draw(5, Mallows(1.0))
    right, wrong = audit(X, Y).orders, audit(X, as_orders(Y)).orders
    assert right.tau_as_ranks == pytest.approx(wrong.tau_as_orders)
    assert right.tau_as_orders == pytest.approx(wrong.tau_as_ranks)
    assert right.advantage == pytest.approx(-wrong.advantage)


def test_units_and_outliers_of_features_play_no_part():
    X, Y = draw(5)
    stretched = np.exp(X * 50)
    stretched[0, 0] = np.inf
    X[0, 0] = X[:, 0].max() + 1
    assert audit(stretched, Y).orders == audit(X, Y).orders


@pytest.mark.parametrize(
    ("X", "Y"),
    [
        (np.arange(50.0)[:, None], [[1, 2], [2, 1]] * 25),
        (np.arange(50.0)[:, None], [[1, 2, 2], [2, 1, 3]] * 25),
        (np.arange(50.0)[:, None], [[1, 2, np.nan], [2, 1, 3]] * 25),
        (np.arange(50.0)[:, None], [[1, 2, 3], [2, 1, 3]] * 25),
        (np.ones((50, 1)), [[2, 3, 1], [2, 1, 3]] * 25),
        (np.arange(10.0)[:, None], [[2, 3, 1], [2, 1, 3]] * 5),
        (None, [[2, 3, 1], [2, 1, 3]] * 25),
    ],
    ids=["two labels", "tied", "incomplete", "own inverse", "constant X", "few rows", "no X"],
)
def test_nothing_is_said_where_nothing_can_be_told(X, Y):
    assert audit(X, Y).orders is None


def test_incomplete_rankings_of_an_oracle_are_not_accused():
    X, Y = draw(5, mechanism=Survival(0.7))
    assert audit(X, Y).orders is None


# Large sets like others that stay: generated from classes or numbers, or biology.
SLOW = ("calhousing", "cold", "cpu", "diau", "dtt", "elevators", "fried", "heat", "pendigits")


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW))
        for name in available("complete")
    ],
)
def test_no_benchmark_is_accused_the_right_way_round(name, data_folder, monkeypatch):
    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    assert not audit(*load(name)).orders.looks_like_orders


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "told"),
    [
        *(pytest.param(name, True, marks=pytest.mark.slow) for name in ("cold", "diau", "dtt")),
        ("heat", True),
        # The time series of spo is as predictable in either reading.
        ("spo", False),
    ],
)
def test_the_inverted_files_are_told_where_the_evidence_allows(
    name, told, data_folder, monkeypatch
):
    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    assert audit(*load(name, raw=True)).orders.looks_like_orders == told
