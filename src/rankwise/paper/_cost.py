"""How long a run will take: seconds measured once per kind of unit, scaled to the machine at hand."""

from __future__ import annotations

import time

import numpy as np

# Seconds of processor time per fold on the machine of reference, 50 trees: 10,000 rows of a family;
# the benchmarks with a forest.
_FAMILY_SECONDS = {
    ("SFN", "RF"): 0.17, ("SFN", "DT"): 0.008, ("SFN", "SDT"): 0.004, ("SFN", "Level"): 0.011,
    ("SFN", "Honest"): 0.37, ("LFN", "RF"): 0.37, ("LFN", "DT"): 0.018, ("LFN", "SDT"): 0.01,
    ("LFN", "Level"): 0.025, ("LFN", "Honest"): 1.12,
}  # fmt: skip
_FOREST_SECONDS = {
    "authorship": 0.085, "bodyfat": 0.045, "calhousing": 0.89, "cpu": 0.53, "elevators": 2.1,
    "fried": 1.81, "glass": 0.033, "housing": 0.05, "iris": 0.014, "pendigits": 1.29, "segment": 0.26,
    "stock": 0.052, "vehicle": 0.06, "vowel": 0.114, "wine": 0.017, "wisconsin": 0.105, "cold": 0.38,
    "diau": 0.69, "dtt": 0.37, "heat": 0.58, "spo": 1.13,
}  # fmt: skip
# Shares of a forest's time, per fit. Those of tuned learners are means over the values of max_features,
# two of which mostly draw as many features and are fitted once; the fit on all rows is in it.
_SHARES = {"RF": 1.0, "DT": 0.045, "SDT": 0.02, "RFT": 0.65, "DTT": 0.035}
# To diagnose the sparsity of a benchmark, on average.
SPARSITY_SECONDS = 0.2
_ROWS = 10_000
_TREES = 50
# What `measure_pace` takes on the machine of reference.
_REFERENCE_PACE = 0.0148


def family_cost(family: str, learner: str, n_samples: int, trees: int) -> float:
    """Return the seconds of one fold of a learner on a family, on the machine of reference.

    Examples
    --------
    >>> family_cost("SFN", "RF", 10_000, 50)
    0.17
    """
    seconds = _FAMILY_SECONDS[family, learner] * n_samples / _ROWS
    return seconds * trees / _TREES if learner in ("RF", "Honest") else seconds


def benchmark_cost(dataset: str, learner: str, trees: int) -> float:
    """Return the seconds of one fit of a learner on a benchmark, on the machine of reference.

    Examples
    --------
    >>> benchmark_cost("fried", "RF", 50)
    1.81
    """
    seconds = _FOREST_SECONDS[dataset] * _SHARES[learner]
    return seconds * trees / _TREES if learner in ("RF", "RFT") else seconds


def measure_pace() -> float:
    """Return how much slower this machine is than that of reference, by a short run.

    It also compiles the learners, once for all.
    """
    from rankwise.forest import ForestRanker
    from rankwise.oracles import make_family
    from rankwise.tree import TreeRanker

    X, Y, _ = make_family("SFN", n_samples=2000)
    values = np.random.default_rng(0).random((1000, 6))
    positions = values[:, :5].argsort(axis=1).argsort(axis=1) + 1.0
    model = ForestRanker(6, random_state=0)
    for warm in (
        model,
        TreeRanker(criterion="level"),
        ForestRanker(1, honest=True, bootstrap=False, max_samples=0.5),
    ):
        warm.fit(X[:60], Y[:60]).predict(X[:60])
    model.fit(values[:60], positions[:60]).predict(values[:60])
    best = np.inf
    for _ in range(5):
        # Time of the processor: what else runs at this moment may have ended a minute later.
        started = time.process_time()
        model.fit(X, Y)
        model.fit(values, positions)
        best = min(best, time.process_time() - started)
    return float(best / _REFERENCE_PACE)
