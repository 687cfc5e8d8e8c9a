"""Odd arrays for every estimator of the registry, for metrics, consensus and the gate of rankings."""

import numpy as np
import pandas as pd
import polars as pl

import rankwise as rw
from fuzz.mutate import ODD_NUMBERS
from fuzz.worker import is_ours, raised_in
from rankwise import consensus, metrics
from rankwise.learners import find_learner, fit_ranker, known_learners

NAME = "arrays"
SMALL = {
    "n_estimators": 3,
    "estimator__n_estimators": 3,
    "candidates": ["Tree", "Consensus"],
    "max_iter": 20,
}
# Auto fits several learners, and forests of scikit-learn are slow to start.
SELDOM = {"Auto", "PairwiseForest", "CostForest"}
NAMES = [learner.name for learner in known_learners() if learner.name not in SELDOM] * 3 + sorted(
    SELDOM
)
FUNCTIONS = {
    **{name: getattr(metrics, name) for name in (
        "kendall_tau", "kendall_distance", "spearman_distance", "spearman_rho", "footrule_distance", "exact_match",
        "top_k_accuracy", "reciprocal_rank", "tau_x", "inconsistency", "tau_gap",
    )},
    **{name: getattr(consensus, name) for name in ("borda", "copeland", "kemeny", "pairwise_matrix")},
    "check_rankings": rw.check_rankings, "ranks_from_scores": rw.ranks_from_scores,
    "ranks_from_orders": rw.ranks_from_orders, "orders_from_ranks": rw.orders_from_ranks, "audit": rw.audit,
}  # fmt: skip
TWO = {"kendall_tau", "kendall_distance", "spearman_distance", "spearman_rho", "footrule_distance", "exact_match",
       "top_k_accuracy", "reciprocal_rank", "tau_x", "inconsistency", "tau_gap", "audit"}  # fmt: skip
PLACES = ("shape", "features", "rankings", "weights")


def prepare(folder):
    rng = np.random.default_rng(0)
    X, Y = (
        rng.normal(size=(12, 2)),
        np.argsort(np.argsort(rng.normal(size=(12, 3)), axis=1), axis=1) + 1.0,
    )
    for name in sorted(set(NAMES)):
        learner(name).fit(X, Y).predict(X)


def learner(name):
    found = find_learner(name)
    known = found.estimator().get_params()
    return found.estimator(0, **{key: value for key, value in SMALL.items() if key in known})


def case(rng, number, folder):
    if number % 5 == 0:
        name = rng.choice(list(FUNCTIONS))
        arrays = [_rankings(rng, *_shape(rng)) for _ in range(2 if name in TWO else 1)]
        if len(arrays) == 2 and rng.random() < 0.7:
            shape = np.asarray(arrays[0], dtype=object).shape
            arrays[1] = _rankings(rng, *shape) if len(shape) == 2 else arrays[1]
        return "functions", lambda: _finite_or_nan(FUNCTIONS[name](*arrays))
    name = NAMES[number % len(NAMES)]
    # mostly one thing is odd, so that the others are not refused before it is seen
    odd = rng.sample(PLACES, rng.choice([0, 1, 1, 1, 1, 2, 4]))
    n, k = (
        _shape(rng)
        if "shape" in odd
        else (rng.choice([2, 3, 5, 12, 30]), rng.choice([2, 2, 3, 3, 3, 4, 4, 7]))
    )
    d = rng.choice([1, 2, 3] * 8 + [0, 70]) if "shape" in odd else rng.choice([1, 2, 3])
    X = _features(rng, n, d) if "features" in odd else _generator(rng).normal(size=(n, d))
    Y = _rankings(rng, n, k) if "rankings" in odd else _plain_rankings(rng, n, k, name)
    weights = _weights(rng, n, name) if "weights" in odd else None
    new = X if rng.random() < 0.7 else _features(rng, rng.choice([0, 1, 3]), d)
    return name, lambda: _fit(learner(name), X, Y, weights, new)


def _weights(rng, n, name):
    if not find_learner(name).takes.weights and rng.random() < 0.9:
        return None
    usual = [
        np.ones(n),
        np.full(n, 0.1),
        _generator(rng).random(n),
        np.full(n, 1e-300),
        np.full(n, 1e300),
    ]
    return rng.choice(
        usual * 3 + [np.zeros(n), np.arange(n) - 1.0, np.full(n, np.nan), "abc", [[1.0]]]
    )


def _plain_rankings(rng, n, k, name):
    """Return rankings of the kinds that a learner takes."""
    g, takes = _generator(rng), find_learner(name).takes
    scores = np.round(g.normal(size=(n, k)), 0 if takes.ties and rng.random() < 0.3 else 9)
    Y = (scores[:, None, :] > scores[:, :, None]).sum(axis=2) + 1.0
    return (
        np.where(g.random((n, k)) < 0.2, np.nan, Y)
        if takes.missing_labels and rng.random() < 0.3
        else Y
    )


def is_named(error):
    named = is_ours(error) or "sklearn/utils" in raised_in(error)
    return type(error) in (ValueError, TypeError) and named


def keep(folder, name):
    """Nothing is kept: seed and number make the same arrays again."""


def _shape(rng):
    return rng.choice([1, 2, 3, 5, 12, 30, 5, 12, 12, 0]), rng.choice(
        [2, 3, 4, 2, 3, 4, 2, 3, 1, 0, 7]
    )


def _fit(ranker, X, Y, weights, new):
    ranker = fit_ranker(ranker, X, Y, weights) if weights is not None else ranker.fit(X, Y)
    k = ranker.n_labels_
    ranks = np.asarray(ranker.predict(new))
    assert ranks.ndim == 2
    assert ranks.shape[1] == k
    assert ((ranks >= 1) & (ranks <= k)).all(), ranks
    shares = np.asarray(ranker.predict_pairwise(new))
    assert shares.shape == (len(ranks), k, k)
    assert np.isfinite(shares).all()
    assert shares.min(initial=0) >= -1e-6, shares.min()
    assert shares.max(initial=0) <= 1 + 1e-6, shares.max()
    assert np.isfinite(np.asarray(ranker.predict_positions(new))).all()
    np.testing.assert_array_equal(np.asarray(ranker.predict(new)), ranks)


def _finite_or_nan(found):
    numbers = np.asarray(
        found if not hasattr(found, "to_dict") else str(found) and 0.0, dtype=float
    )
    assert not np.isinf(numbers).any(), numbers


def _generator(rng):
    return np.random.default_rng(rng.randrange(2**32))


def _features(rng, n, d):
    g = _generator(rng)
    X = g.normal(size=(n, d)) * rng.choice([1] * 9 + [1e-200, 1e100, 1e300])
    how = rng.randrange(30)
    if how == 0:
        X = g.integers(0, 2, size=(n, d))
    elif how == 1:
        X = np.where(g.random((n, d)) < 0.3, np.nan, X)
    elif how == 2 and X.size:
        X[g.integers(n), g.integers(d)] = rng.choice([np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0])
    elif how == 3:
        X = np.full((n, d), rng.choice([0.0, np.nan, 1e308, 2.0**60]))
    elif how == 4:
        X = X.astype(
            rng.choice(["float16", "float32", "longdouble", "int8", "uint64", "complex128", ">f8"])
        )
    elif how == 5:
        X = g.integers(-(2**62), 2**62, size=(n, d))
    elif how == 6:
        X = X.astype(object)
        if X.size:
            X[0, 0] = rng.choice(
                [None, "tea", 10**400, True, b"x", pd.NA, pd.Timestamp("2020-01-01"), [1], 1j]
            )
    elif how == 7:
        X = np.asfortranarray(np.repeat(X, 2, axis=0)[::2])
    elif how == 8:
        X = X[:, ::-1]
    elif how == 9:
        X = pd.DataFrame(X, columns=[rng.choice(["a", "b", 3, "", "é"]) for _ in range(d)])
    elif how == 10:
        X = pl.DataFrame(X, schema=[f"c{j}" for j in range(d)]) if d else X
    elif how == 11:
        X = rng.choice(
            [
                X.tolist(),
                X[0] if n else X,
                X[None],
                [],
                None,
                "abc",
                3.0,
                {},
                [[1], [1, 2]],
                [["a", "b"]] * n,
            ]
        )
    elif how == 12:
        X = np.ma.masked_array(X, mask=g.random((n, d)) < 0.2)
    elif how == 13:
        X = X.astype(str)
    return X


def _rankings(rng, n, k):
    g = _generator(rng)
    Y = np.argsort(np.argsort(g.random((n, k)), axis=1), axis=1) + 1.0 if k else np.empty((n, 0))
    how = rng.randrange(34)
    if how == 0:
        Y = np.where(g.random((n, k)) < 0.4, np.nan, Y)
    elif how == 1:
        Y = np.minimum(Y, 2.0)
    elif how == 2 and Y.size:
        Y[g.integers(n), g.integers(k)] = float(rng.choice([*ODD_NUMBERS, np.inf, -np.inf]))
    elif how == 3:
        Y = Y.astype(
            rng.choice(["int8", "uint64", "float16", "bool", "complex128", "longdouble", "<U3"])
        )
    elif how == 4:
        Y = Y.astype(object)
        if Y.size:
            Y[0, 0] = rng.choice([None, "tea", 10**400, True, pd.NA, 1j, [1], float("nan")])
    elif how == 5:
        names = [rng.choice(["tea", "b", 3, "", "é", None, "\ud800"]) for _ in range(k)]
        Y = pd.DataFrame(Y)
        Y.columns = pd.Index(names, dtype=object)
    elif how == 6:
        Y = rng.choice(
            [
                Y.tolist(),
                Y[0] if n else Y,
                Y[None],
                [],
                None,
                "a>b",
                ["a>b", "b>a"],
                3.0,
                {},
                [[1], [1, 2]],
            ]
        )
    elif how == 7:
        Y = np.full((n, k), rng.choice([1.0, np.nan, 0.0, 2.0**53, 1e300]))
    elif how == 8:
        Y = Y[: max(0, n - 1)]
    elif how == 9:
        Y = np.asfortranarray(Y)[:, ::-1]
    elif how == 10:
        Y = Y * rng.choice([2, 0.5, 1e15, 1e-300, -1])
    elif how == 11:
        Y = np.ma.masked_array(Y, mask=g.random((n, k)) < 0.2)
    elif how == 12 and k:
        Y = pl.DataFrame(Y, schema=[f"L{j}" for j in range(k)])
    return Y
