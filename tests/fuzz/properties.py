"""Facts about every estimator of the registry, on random problems.

What a fact says is exact up to rounding. Where an estimator cannot have it, `NOT_HELD` says why; such cases are
counted beside the others, as refusals, and are no failures.
"""

import joblib
import numpy as np
import pandas as pd
import polars as pl

from fuzz.arrays import learner
from fuzz.worker import CaseError
from rankwise.learners import find_learner, known_learners

NAME = "properties"
# Auto measures time, so that two runs may try different learners.
NAMES = [one.name for one in known_learners() if one.name != "Auto"]
DRAWN = "draws rows, features or cuts at random, in the order of rows and labels"
SOLVED = "stops an iteration within a tolerance"
_DRAWING = (
    "Forest",
    "RF",
    "ExtraTrees",
    "HonestForest",
    "LRRF",
    "BoostLR",
    "PLRForest",
    "PLRBagging",
    "PairwiseForest",
    "CostForest",
)
_SOLVING = ("Pairwise", "PairwiseSquares", "RPC", "LWD", "InstancePlackettLuce", "InstanceMallows")
_TREES = {"Forest", "RF", "ExtraTrees", "HonestForest", "Tree", "Level", "LRT", "LRRF", "PLRTree", "PLRForest",
          "PLRBagging", "BoostLR", "Consensus", "PairwiseForest", "CostForest"}  # fmt: skip
TIES = "of equally good consensus rankings the first by the order of labels is taken"
HALFWAY = "a tree's cut lies halfway between values of its own sample, and rows left out of it may lie between"
_SAMPLING = (
    "Forest",
    "RF",
    "HonestForest",
    "LRRF",
    "PLRForest",
    "PLRBagging",
    "BoostLR",
    "PairwiseForest",
    "CostForest",
)
NOT_HELD = {
    **{
        (fact, name): DRAWN
        for name in _DRAWING
        for fact in ("relabelling", "reversal", "row order", "weights")
    },
    **{
        ("monotone", name): "takes distances or products of features"
        for name in NAMES
        if name not in _TREES
    },
    **{("monotone", name): HALFWAY for name in _SAMPLING},
    **{
        (fact, name): TIES
        for name in ("LRT", "InstanceMallows", "InstancePLR", "PLRTree")
        for fact in ("relabelling", "reversal")
    },
    (
        "reversal",
        "InstancePlackettLuce",
    ): "a Plackett-Luce model chooses from the first place down, not from the last up",
    (
        "weights",
        "Kernel",
    ): "chooses ridge and width on rows left out one at a time; of a repeated row, one stays",
}
TOLERANCE = dict.fromkeys(_SOLVING, 0.02)
FACTS = (
    "relabelling",
    "reversal",
    "row order",
    "weights",
    "monotone",
    "n_jobs",
    "containers",
    "again",
)
CASES = [
    (fact, name)
    for name in NAMES
    for fact in FACTS
    if not (fact == "n_jobs" and "n_jobs" not in find_learner(name).estimator().get_params())
    and not (fact == "weights" and not find_learner(name).takes.weights)
]
_now = []


def prepare(folder):
    for name in NAMES:
        X, Y = _problem(np.random.default_rng(0), name)
        _shares(name, X, Y)


def case(rng, number, folder):
    fact, name = CASES[number % len(CASES)]
    g = np.random.default_rng(rng.randrange(2**32))
    _now[:] = [fact, name]
    X, Y = _problem(g, name)
    return f"{fact}: {name}", lambda: globals()["_" + fact.replace(" ", "_")](g, name, X, Y)


def is_named(error):
    return isinstance(error, CaseError) and tuple(_now) in NOT_HELD


def keep(folder, name):
    """Nothing is kept: seed and number make the same problem again."""


def _problem(g, name):
    n, d, k = g.integers(12, 40), g.integers(1, 4), g.integers(2, 5)
    X = g.integers(0, 2, size=(n, d)).astype(float) if g.random() < 0.3 else g.normal(size=(n, d))
    scores = X @ g.normal(size=(d, k)) + g.normal(scale=0.5, size=(n, k))
    takes = find_learner(name).takes
    if takes.ties and g.random() < 0.3:
        scores = np.round(scores)
    Y = (scores[:, None, :] > scores[:, :, None]).sum(axis=2) + 1.0
    if takes.missing_labels and g.random() < 0.3:
        Y = np.where(g.random(Y.shape) < 0.2, np.nan, Y)
        Y[0] = np.arange(1.0, k + 1)
    else:
        Y[0] = np.arange(1.0, k + 1)
    return X, Y


def _shares(name, X, Y, new=None, weights=None, **parameters):
    model = learner(name)
    model.set_params(**parameters)
    model.fit(X, Y, **({} if weights is None else {"sample_weight": weights}))
    return np.asarray(model.predict_pairwise(X if new is None else new))


def _check(name, found, expected):
    if found.shape != expected.shape:
        raise CaseError(f"shape {found.shape}, not {expected.shape}")
    far = float(np.abs(found - expected).max(initial=0))
    if not far <= TOLERANCE.get(name, 1e-6):
        raise CaseError(f"chances differ by {far:.3g}")


def _relabelling(g, name, X, Y):
    order = g.permutation(Y.shape[1])
    _check(name, _shares(name, X, Y[:, order]), _shares(name, X, Y)[:, order][:, :, order])


def _reversal(g, name, X, Y):
    turned = np.nanmax(Y, axis=1, initial=1, keepdims=True, where=~np.isnan(Y)) + 1 - Y
    _check(name, _shares(name, X, turned), _shares(name, X, Y).transpose(0, 2, 1))


def _row_order(g, name, X, Y):
    order = g.permutation(len(X))
    _check(name, _shares(name, X[order], Y[order], new=X), _shares(name, X, Y))


def _weights(g, name, X, Y):
    times = g.integers(0, 3, size=len(X))
    times[0] = 1
    repeated = _shares(name, np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0), new=X)
    _check(name, _shares(name, X, Y, weights=times.astype(float)), repeated)


def _monotone(g, name, X, Y):
    """Each value of a feature becomes its place among the values: seen again on the rows of fitting.

    On complete rankings alone: the tree of a pair is cut halfway between rows that compare it, and others lie between.
    """
    complete = ~np.isnan(Y).any(axis=1)
    X, Y = X[complete], Y[complete]
    places = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T]).astype(
        float
    )
    _check(name, _shares(name, places, Y), _shares(name, X, Y))


def _n_jobs(g, name, X, Y):
    with joblib.parallel_config("threading"):
        _check(name, _shares(name, X, Y, n_jobs=2), _shares(name, X, Y, n_jobs=1))


def _containers(g, name, X, Y):
    expected = _shares(name, X, Y)
    columns, labels = [f"x{j}" for j in range(X.shape[1])], [f"L{j}" for j in range(Y.shape[1])]
    kinds = [
        (X.tolist(), Y.tolist()),
        (pd.DataFrame(X, columns=columns), pd.DataFrame(Y, columns=labels)),
        (pl.DataFrame(X, schema=columns), pl.DataFrame(Y, schema=labels)),
        (np.asfortranarray(X), np.asfortranarray(Y)),
        (np.repeat(X, 2, axis=0)[::2], Y.astype(np.float32)),
    ]
    features, ranks = kinds[g.integers(len(kinds))]
    _check(name, _shares(name, features, ranks), expected)


def _again(g, name, X, Y):
    _check("", _shares(name, X, Y), _shares(name, X, Y))
