"""
What missing labels cost
========================

The same problem, seen through ever more gaps, by three learners. Filling gaps with mean positions
is the obvious trick, and the worst.
"""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestRegressor

import rankwise as rw
from rankwise import plots
from rankwise.oracles import Oracle, SparseLinear, Survival, TruncatedGaussian, UniformFeatures

warnings.simplefilter("ignore", rw.RankingWarning)  # rows with fewer than two labels are meant

scores = SparseLinear(6, 5, 3, random_state=1)
forest = {"n_estimators": 30, "min_samples_leaf": 3, "random_state": 0}


def filled(X, Y, X_new):
    """Labelwise regression, with each label's mean position in place of gaps."""
    model = rw.LabelwiseRanker(RandomForestRegressor(**forest))
    return model.fit(X, np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)).predict(X_new)


ways = {
    "forest, by pairs": lambda X, Y, X_new: rw.ForestRanker(**forest).fit(X, Y).predict(X_new),
    "logistic, by pairs": lambda X, Y, X_new: rw.PairwiseRanker().fit(X, Y).predict(X_new),
    "gaps filled with means": filled,
}

# %%
# Train on what is left, judge by the whole truth.

missing = [0.0, 0.2, 0.4, 0.6]
taus = {name: [] for name in ways}
for share in missing:
    oracle = Oracle(
        scores,
        features=UniformFeatures(6),
        noise=TruncatedGaussian(0.05),
        mechanism=Survival(1 - share) if share else None,
    )
    X, Y = oracle.sample(500, random_state=0)
    X_new, _ = oracle.sample(500, random_state=1)
    for name, way in ways.items():
        tau = rw.metrics.kendall_tau(oracle.truth(X_new), way(X, Y, X_new))
        taus[name].append(float(tau))
for name, found in taus.items():
    print(f"{name:23}", *(f"{tau:.2f}" for tau in found))

# %%

ax = plots.tau_by_missing({name: (missing, found) for name, found in taus.items()})
