"""The systems that `bench_trees.py` compares with, each as a function of trees and a seed.

A function is None where its package is not installed. Data is put into the form that the peer likes
best before the clock runs; what ours needs is part of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from _tree_table import Fit
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from rankwise.pairwise import PairwiseRanker
from rankwise.rankings import ranks_from_scores
from rankwise.tree import LabelwiseRanker


@dataclass
class Positions:
    """A peer's models, which predict positions, with the `predict` that ours have."""

    models: list[Any]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Ranks by the positions predicted."""
        X = X.astype(np.float32)
        columns = [np.asarray(model.predict(X)).reshape(len(X), -1) for model in self.models]
        return ranks_from_scores(np.concatenate(columns, axis=1), higher_is_better=False)


def labelwise(
    X: np.ndarray,
    Y: np.ndarray,
    forest: type = RandomForestRegressor,
    weights: np.ndarray | None = None,
) -> Fit:
    """One of scikit-learn's forests per label, the program behind the paper's experiments."""
    # float32 is what its trees work on: no conversion while the clock runs
    X = X.astype(np.float32)

    def fit(trees: int, seed: int) -> LabelwiseRanker:
        return LabelwiseRanker(forest(trees, random_state=seed)).fit(X, Y, weights)

    return fit


def joint(X: np.ndarray, Y: np.ndarray, forest: type = RandomForestRegressor) -> Fit:
    """One of scikit-learn's forests for all labels, a column of positions for each."""
    X = X.astype(np.float32)

    def fit(trees: int, seed: int) -> Positions:
        return Positions([forest(trees, random_state=seed).fit(X, Y)])

    return fit


def per_pair(X: np.ndarray, Y: np.ndarray, forest: type = RandomForestClassifier) -> Fit:
    """One of scikit-learn's forests per pair of labels, all features at each cut, as ours have."""
    X = X.astype(np.float32)

    def fit(trees: int, seed: int) -> PairwiseRanker:
        own = forest(trees, max_features=None)
        return PairwiseRanker(own, aggregation="borda", random_state=seed).fit(X, Y)

    return fit


def catboost(X: np.ndarray, Y: np.ndarray, depth: int) -> Fit | None:
    """One oblivious tree for all labels, without shrinkage or randomness, as Level-Splits."""
    if find_spec("catboost") is None:
        return None
    from catboost import CatBoostRegressor, Pool

    pool = Pool(X.astype(np.float32), Y)
    options = {
        "loss_function": "MultiRMSE",
        "learning_rate": 1.0,
        "l2_leaf_reg": 0.0,
        "random_strength": 0.0,
        "bootstrap_type": "No",
        "score_function": "L2",
        "leaf_estimation_iterations": 1,
        "boost_from_average": True,
        "thread_count": 1,
        "logging_level": "Silent",
        "allow_writing_files": False,
    }

    def fit(trees: int, seed: int) -> Positions:
        model = CatBoostRegressor(iterations=trees, depth=depth, random_seed=seed, **options)
        return Positions([model.fit(pool)])

    return fit


def lightgbm(X: np.ndarray, Y: np.ndarray, share: float) -> Fit | None:
    """One forest per label in `rf` mode, as many leaves as there are rows; `share` of rows drawn."""
    if find_spec("lightgbm") is None:
        return None
    import lightgbm as lgb

    options = {
        "boosting": "rf",
        "objective": "regression",
        "bagging_freq": 1,
        "bagging_fraction": share,
        "num_leaves": len(X),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "min_data_in_bin": 1,
        "feature_pre_filter": False,
        "num_threads": 1,
        "verbosity": -1,
    }
    X = X.astype(np.float32)
    labels = [lgb.Dataset(X, y, params=options, free_raw_data=False).construct() for y in Y.T]

    def fit(trees: int, seed: int) -> Positions:
        own = options | {"seed": seed}
        return Positions([lgb.train(own, label, trees) for label in labels])

    return fit


def econml(X: np.ndarray, Y: np.ndarray, share: float) -> Fit | None:
    """An honest forest for all labels at once, fully grown, without confidence intervals."""
    if find_spec("econml") is None:
        return None
    from econml.grf import RegressionForest

    X = X.astype(np.float32)
    options = {
        "honest": True,
        "max_samples": share,
        "min_samples_leaf": 1,
        "min_samples_split": 2,
        "min_balancedness_tol": 0.5,
        "inference": False,
        "n_jobs": 1,
    }

    def fit(trees: int, seed: int) -> Positions:
        return Positions([RegressionForest(trees, random_state=seed, **options).fit(X, Y)])

    return fit
