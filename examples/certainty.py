"""What it gains to fit certainty to held-out rows, and what it costs where nothing is to be gained.

    python examples/certainty.py           # some minutes of processor time
    python examples/certainty.py --quick   # small, to see that it runs

A forest is fitted to few rows. Five folds of the same rows give held-out predictions, and
`rankwise.ranker.fit_certainty` fits two numbers to them, as ``rankwise fit`` does. Up to 600 other
rows, which are complete, then judge what was said by log-loss (lower is better; chances are cut at
0.005 and 0.995): that one label stands before another ("pairs"), and that the label predicted first
is the first of all. "Share" is the forest's own, "product" that of its shares, as if duels were
independent; "chance" is after the fit. Means of three splits.

With RANKWISE_DATA set, twelve published sets take part, three of them also with labels deleted;
otherwise made-up ones alone. The figures stand in docs/certainty.md.
"""

from __future__ import annotations

import argparse
import os
import warnings

import numpy as np
from sklearn.model_selection import KFold

from rankwise.datasets import load
from rankwise.forest import ForestRanker
from rankwise.oracles import Mallows, Oracle, SparseLinear, Survival, TruncatedGaussian
from rankwise.ranker import fit_certainty
from rankwise.rankings import RankingWarning

PUBLISHED = (
    "glass",
    "heat",
    "iris",
    "wine",
    "vehicle",
    "vowel",
    "housing",
    "bodyfat",
    "stock",
    "authorship",
    "diau",
    "wisconsin",
)
WITH_GAPS = ("glass", "housing", "stock")
KEPT = 0.6  # of the training labels, where some are deleted
MOST_NEW, LEAST_NEW = 600, 50
N_BINS = 8


class Data:
    """Rows to draw training and new rows from."""

    def __init__(self, name: str, X: np.ndarray, Y: np.ndarray, gaps: bool = False) -> None:
        self.name, self.X, self.Y, self.gaps = name, X, Y, gaps

    def split(self, n: int, seed: int) -> tuple[np.ndarray, ...]:
        """Draw n training rows, with labels deleted if so, and up to 600 other rows, complete."""
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(self.X))
        train, new = rows[:n], rows[n : n + MOST_NEW]
        Y = self.Y[train]
        if self.gaps:
            Y = Survival(KEPT).observe(self.X[train], Y, rng)
        compares = np.isfinite(Y).sum(axis=1) > 1
        return self.X[train][compares], Y[compares], self.X[new], self.Y[new]


def sources() -> list[Data]:
    found = []
    if os.environ.get("RANKWISE_DATA"):
        loaded = {name: load(name) for name in PUBLISHED}
        sets = {name: (data.features, data.ranks) for name, data in loaded.items()}
        found += [Data(name, *sets[name]) for name in PUBLISHED]
        found += [Data(f"{name}, 40 % deleted", *sets[name], gaps=True) for name in WITH_GAPS]
    scores = SparseLinear(8, 4, 3, random_state=2)
    gaussian = Oracle(scores, noise=TruncatedGaussian(0.15)).sample(1_000, random_state=0)
    mallows = Oracle(scores, noise=Mallows(1.0)).sample(1_000, random_state=0)
    found.append(Data("sparse linear, Gaussian noise", *gaussian))
    found.append(Data("sparse linear, Mallows noise", *mallows))
    found.append(Data("sparse linear, Gaussian noise, 40 % deleted", *gaussian, gaps=True))
    return found


def judge(data: Data, n: int, seed: int, n_trees: int) -> np.ndarray:
    """Log-loss of pairs and of the first of all, then calibration errors; each own and fitted."""
    X, Y, X_new, Y_new = data.split(n, seed)
    forest = ForestRanker(n_trees, random_state=seed)
    shares = np.full((len(X), Y.shape[1], Y.shape[1]), 0.5)
    ranks = np.zeros(Y.shape, dtype=np.int64)
    for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
        forest.fit(X[train], Y[train])
        shares[test], ranks[test] = forest.predict_pairwise(X[test]), forest.predict(X[test])
    certainty = fit_certainty(shares, ranks, Y)

    forest.fit(X, Y)
    shares, ranks = forest.predict_pairwise(X_new), forest.predict(X_new)
    i, j = np.triu_indices(Y.shape[1], k=1)
    came_true = Y_new[:, i] < Y_new[:, j]
    pairs = [(said[:, i, j], came_true) for said in (shares, certainty.pairwise(shares))]

    rows, first = np.arange(len(ranks)), ranks.argmin(axis=1)
    duels = shares[rows, first]
    duels[rows, first] = 1.0
    is_first = Y_new[rows, first] == Y_new.min(axis=1)
    top = [(said, is_first) for said in (duels.prod(axis=1), certainty.of_order(shares, ranks)[1])]
    said_and_true = pairs + top
    return np.array([log_loss(*s) for s in said_and_true] + [off(*s) for s in said_and_true])


def log_loss(said: np.ndarray, true: np.ndarray) -> float:
    said = said.clip(0.005, 0.995)
    return float(-np.log(np.where(true, said, 1 - said)).mean())


def off(said: np.ndarray, true: np.ndarray) -> float:
    """Calibration error: mean distance of what was said and what came true, in eight bins."""
    said, true = said.ravel(), true.ravel()
    bins = np.minimum((said * N_BINS).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, said - true, minlength=N_BINS)
    return float(np.abs(gaps).sum() / len(said))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="made-up data, one size, one split")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore", RankingWarning)
    sizes, splits, n_trees = ((40,), 1, 20) if quick else ((40, 60, 150), 3, 100)
    cases = []  # what `judge` found, mean over the splits
    for n in sizes:
        print(f"\n{n} rows".ljust(46) + "pairs: share chance   first of all: product chance")
        for data in sources()[-3:] if quick else sources():
            if len(data.X) - n < LEAST_NEW:
                continue
            found = np.mean([judge(data, n, seed, n_trees) for seed in range(splits)], axis=0)
            cases.append(found)
            own, chance, product, chance_first = found[:4]
            print(f"{data.name:45}{own:12.3f}{chance:7.3f}{product:24.3f}{chance_first:7.3f}")
    found = np.array(cases)
    means = found.mean(axis=0)
    print(f"\nmeans of {len(cases)} cases")
    for name, k in {"pairs": 0, "first of all": 2}.items():
        worse = found[:, k + 1] - found[:, k]
        print(
            f"{name}: log-loss {means[k]:.3f} to {means[k + 1]:.3f}, calibration error "
            f"{means[k + 4]:.3f} to {means[k + 5]:.3f}; log-loss worse by more than 0.002 in "
            f"{(worse > 0.002).sum()} cases, by {max(0.0, worse.max()):.3f} at most"
        )


if __name__ == "__main__":
    main()
