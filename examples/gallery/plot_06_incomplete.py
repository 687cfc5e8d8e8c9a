"""
What missing labels cost
========================

Three learners on the same problem, with more and more labels missing. To fill the gaps with mean
positions is the obvious way, and the worst. With ``RANKWISE_DATA`` set this is ``housing`` (506
districts, six labels), with labels deleted at random; otherwise a made-up problem.
"""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestRegressor

import rankwise as rw
from rankwise import plots
from rankwise.datasets import Dataset, load, whereabouts
from rankwise.oracles import Oracle, SparseLinear, TruncatedGaussian, UniformFeatures

warnings.simplefilter("ignore", rw.RankingWarning)  # rows with fewer than two labels are meant

forest = {"n_estimators": 30, "min_samples_leaf": 3, "random_state": 0}


def complete():
    """The published set if it is at hand, else a made-up one; every label in every row."""
    if whereabouts("housing") == "RANKWISE_DATA":
        return load("housing")
    oracle = Oracle(
        SparseLinear(6, 5, 3, random_state=1),
        features=UniformFeatures(6),
        noise=TruncatedGaussian(0.05),
    )
    return Dataset(*oracle.sample(600, random_state=0), name="made-up")


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
# Train on what is left of two thirds of the rows, judge by the whole rankings of the others.

data = complete()
rng = np.random.default_rng(0)
rows = rng.permutation(data.n_samples)
train, test = rows[len(rows) // 3 :], rows[: len(rows) // 3]
X, X_new, Y_new = data.features[train], data.features[test], data.ranks[test]
draws = rng.random((len(train), data.n_labels))  # a label that is missing stays so at higher shares
missing = [0.0, 0.2, 0.4, 0.6]
taus = {name: [] for name in ways}
for share in missing:
    Y = np.where(draws < share, np.nan, data.ranks[train])
    for name, way in ways.items():
        taus[name].append(float(rw.metrics.kendall_tau(Y_new, way(X, Y, X_new))))
print(data.name)
for name, found in taus.items():
    print(f"{name:23}", *(f"{tau:.2f}" for tau in found))

# %%

ax = plots.tau_by_missing({name: (missing, found) for name, found in taus.items()})
