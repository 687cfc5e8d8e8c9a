"""Absurd arguments for functions and parameters: one at a time, beside others that are sound."""

import datetime
import decimal
import fractions
import inspect
import io
import math
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse

import rankwise as rw
from fuzz.worker import is_ours, raised_in
from rankwise import (
    consensus,
    datasets,
    learners,
    metrics,
    oracles,
    parts,
    plots,
    theory,
    validation,
)
from rankwise.learners import known_learners
from rankwise.models import ModelFileError

NAME = "arguments"
SMALL = {"n_estimators": 3, "candidates": ["Tree", "Consensus"], "max_iter": 20, "time_budget": 1.0}
# Not asked: what takes the results of others, fetches files or takes no argument.
LEFT_OUT = {"load", "whereabouts", "known_learners", "scorer_names", "quiet", "without_costly_ties"}

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
Y = np.array([RNG.permutation(4) + 1.0 for _ in range(12)])
SCORES = {"A": [0.1, 0.2, 0.3], "B": [0.2, 0.1, 0.1]}
SOUND = {
    "X": X, "Y": Y, "ranks": Y, "Y_true": Y, "Y_pred": Y[:, ::-1], "Y_clean": Y, "Y_observed": Y[:, ::-1],
    "values": Y, "Y_single": np.tile(Y[:1], (12, 1)), "W": np.full((2, 3, 3), 0.5), "x": X[0], "a": 0, "b": 1,
    "orders": Y.astype(int) - 1, "texts": ["a>b>c", "b>a~c"], "lists": [["a", "b"], ["b"]], "labels": None,
    "table": {"row": [0, 0], "label": ["a", "b"], "rank": [1, 2], "better": ["a", "b"], "worse": ["b", "c"]},
    "y": [0, 1, 2] * 4, "columns": [0, 1], "scores": SCORES, "average_ranks": {"A": 1.2, "B": 1.8}, "cv": 3,
    "n_datasets": 5, "n_methods": 3, "p_values": [0.1, 0.2], "curves": {"A": ([1, 2], [0.1, 0.2])}, "records": [],
    "chances": np.full((3, 3), 0.5), "family": "SFN", "learner": "RF", "text": "tree", "n_samples": 30, "n_folds": 3,
    "methods": ["Tree"], "datasets": ["generated/iris"], "ranker": rw.TreeRanker(), "name": "SFN", "alphas": [0.1],
    "n_features": 3, "n_labels": 4, "sparsity": 2, "theta": 1.0, "p": 0.5, "q": 0.5, "scale": 0.1, "k": 4, "d": 10,
    "size": 2, "correlation": 0.3, "criterion": "breiman", "r": 2, "C": 1.0, "eps": 0.1, "delta": 0.1, "beta": 0.5,
    "zeta": 0.5, "vc": 3, "B": 1.0, "tolerance": 0.5, "n": 100, "chance": 0.01, "expected_supremum": 1.0,
    "variance": 1.0, "misfit": 0.0, "random_state": 0, "function": lambda rng, shape: rng.random(shape) - 0.5,
    "means": np.zeros(3), "lost": [0.1, 0.2], "gaps": [0.3, 0.4], "sizes": [5, 5],
}  # fmt: skip
# What oracles are made of, and what their methods take.
PARTS = {"scores": oracles.SparseLinear(3, 4, 2), "k": 2}
DRAWN = {"scores": X[:, :2], "ranks": Y, "shape": (12, 4), "u": [0.1, 0.9], "n_samples": 9, "n_draws": 20,
         "rng": np.random.default_rng(0)}  # fmt: skip


def prepare(folder):
    matplotlib.use("Agg")
    warnings.simplefilter("ignore")
    (folder / "table.csv").write_text("x,a,b\n1,1,2\n2,2,1\n")
    data = datasets.Dataset(X, Y)
    SOUND.update(path=folder / "table.csv", files=[folder / "table.csv"], dataset=data)
    FITTED.extend(model.fit(X, Y) for model in map(small, known_learners()))
    SOUND["model"] = rw.ForestRanker(3, random_state=0).fit(X, Y)
    SOUND["data"] = data
    SOUND["board"] = rw.AutoRanker(candidates=["Tree"], random_state=0).fit(X, Y)


def small(learner):
    known = learner.estimator().get_params()
    return learner.estimator(0, **{key: value for key, value in SMALL.items() if key in known})


FITTED = []
FUNCTIONS = sorted(
    {
        (name, thing)
        for front in (
            rw,
            consensus,
            datasets,
            learners,
            metrics,
            oracles,
            parts,
            plots,
            theory,
            validation,
        )
        for name, thing in ((name, getattr(front, name)) for name in front.__all__)
        if inspect.isfunction(thing) and name not in LEFT_OUT
    },
    key=lambda pair: pair[0],
)

ORACLES = [
    (name, thing)
    for name, thing in ((name, getattr(oracles, name)) for name in oracles.__all__)
    if inspect.isclass(thing)
    and not (inspect.isabstract(thing) or getattr(thing, "_is_protocol", False))
]


def absurd(rng):
    """Return a value of a type that few arguments are made for."""
    return rng.choice(
        [None, True, 0, -1, 3, 2**64, 10**400, 0.5, math.nan, math.inf, 1e308, 1j, "", "ranks", "\0", "\ud800", b"1",
         decimal.Decimal("sNaN"), fractions.Fraction(10**400), [], [1], [[1, 2], [3]], [None], [{}], (1, "a"), {}, {"a": 1},
         {"a": [1, 2]}, {1, 2}, (i for i in range(3)), iter([1]), range(3), map(str, [1]), object(), int, dict,
         rw.ForestRanker, rw.ForestRanker(), len, print, Ellipsis, NotImplemented, slice(2), np.int8(1), np.float16(1.5),
         np.longdouble("1e4000"), np.timedelta64(1, "D"), np.datetime64("NaT"), np.void(b"abc"), np.array(1.5), np.ones(3),
         np.ones((2, 2, 2)), np.zeros((0, 3)), np.array([None, 1]), np.array(["a", "b"]), np.ma.masked_all((12, 3)),
         np.zeros(12, [("a", float)]), np.random.default_rng(0), np.add, pd.NA, pd.NaT, pd.Timedelta(1), pd.Series([1, 2]),
         pd.Index(["a"]), pd.DataFrame(), pd.DataFrame(X), pd.DataFrame({"a": [1, 2]}).groupby("a"), pl.Series([1]),
         pl.DataFrame({"a": [1]}), pl.col("a"), pl.DataFrame({"a": [1]}).lazy(), scipy.sparse.dok_array((2, 2)),
         scipy.sparse.csr_array(X), datetime.date(2020, 1, 1), Path("/nonexistent/x"), io.BytesIO(b"a,b\n1,2\n")]
    )  # fmt: skip


def case(rng, number, folder):
    if number % 4 == 0:
        return _oracle(rng)
    if number % 4 == 1:
        name, function = rng.choice(FUNCTIONS)
        parameters = inspect.signature(function).parameters
        given = _sound(parameters, SOUND)
        if name in ("load_model", "save_model", "write"):
            given["path"] = folder / "written"
        # a function that is called as it goes may be any, and its errors are its own
        free = {n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD}
        given[rng.choice(sorted(free - {"progress", "each_fold"}))] = absurd(rng)
        return name, lambda: _close(function(**given))
    if number % 4 == 2:
        learner = rng.choice(known_learners())
        model = small(learner)
        return learner.name, lambda: _ask(_set(model, rng).fit(X, Y))
    model = rng.choice(FITTED)
    before = model.get_params(deep=False)

    def act():
        try:
            _ask(_set(model, rng))
        finally:
            model.set_params(**before)

    return type(model).__name__, act


def _oracle(rng):
    """Make a part of an oracle and ask it something, with one absurd argument on the way."""
    name, make = rng.choice(ORACLES)
    fields = inspect.signature(make).parameters
    given = _sound(fields, SOUND | PARTS)
    asked = rng.choice(
        ["", *(m for m, _ in inspect.getmembers(make, inspect.isfunction) if m[0] != "_")]
    )
    known = inspect.signature(getattr(make, asked)).parameters if asked else {}
    said = _sound(known, SOUND | DRAWN)
    spoiled = rng.choice(
        [*(("made", field) for field in fields), *(("asked", n) for n in known if n != "self")]
    )
    # of a function that is passed the errors are its own
    while callable(odd := absurd(rng)):
        pass
    (given if spoiled[0] == "made" else said)[spoiled[1]] = odd

    def act():
        part = make(**given)
        repr(part)
        return getattr(part, asked)(**said) if asked else part

    return name, act


def _sound(parameters, known):
    """Arguments that a function must have and that are known."""
    return {n: known[n] for n, p in parameters.items() if n in known and p.default is p.empty}


def _set(model, rng):
    names = sorted(model.get_params(deep=False))
    return model.set_params(**{rng.choice(names): absurd(rng)}) if names else model


def _ask(model):
    ranks, shares = np.asarray(model.predict(X)), model.predict_pairwise(X)
    assert ((ranks >= 1) & (ranks <= 4)).all(), ranks
    assert np.isfinite(model.predict_positions(X)).all()
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1.0)


def _close(found):
    if hasattr(found, "get_figure"):
        from matplotlib import pyplot

        pyplot.close("all")


def is_named(error):
    """Files that are not there, and numbers of rows that no machine has, are told by Python itself."""
    if isinstance(error, MemoryError | OSError | ModelFileError):
        return True
    known = isinstance(error, ValueError | TypeError) and not isinstance(error, UnicodeError)
    return known and (is_ours(error) or "sklearn/utils" in raised_in(error))


def keep(folder, name):
    """Nothing is kept: seed and number make the same arguments again."""
