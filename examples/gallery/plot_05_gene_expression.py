"""
Gene expression
===============

The yeast sets of the field: a gene is described by 24 numbers, and moments in time are ranked by how
strongly it is expressed. With ``RANKWISE_DATA`` set this loads ``cold``; otherwise an oracle with its
shape (2,465 genes, four moments), cut to 800 rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

import rankwise as rw
from rankwise import plots
from rankwise.baselines import Consensus
from rankwise.datasets import Dataset, load
from rankwise.oracles import Oracle, SparseLinear, TruncatedGaussian, UniformFeatures


def genes():
    """The published set if it is at hand, else a noisy stand-in."""
    import os

    if os.path.isdir(os.path.join(os.environ.get("RANKWISE_DATA", ""), "lr")):
        return load("cold")
    oracle = Oracle(
        SparseLinear(24, 4, 8, random_state=0),
        features=UniformFeatures(24),
        noise=TruncatedGaussian(0.25),
    )
    X, Y = oracle.sample(800, random_state=0)
    return Dataset(X, Y, name="made-up genes")


data = genes()
rows = np.random.default_rng(0).permutation(data.n_samples)[:800]
X, Y = data.features[rows], data.ranks[rows]
print(data.name, *data.notes, sep="\n")

# %%
# The signal is weak. Is it there at all? Five folds, against one ranking for all genes:

learners = {"consensus": Consensus(), "forest": rw.ForestRanker(50, random_state=0)}
for name, model in learners.items():
    taus = cross_val_score(model, X, Y, cv=5)
    print(f"{name:10} tau {taus.mean():.3f} ± {taus.std():.3f}")

# %%
# Which features decide where each moment stands? No single one does.

forest = learners["forest"].fit(X, Y)
fig, ax = plt.subplots(figsize=(10, 3.2), layout="constrained")
plots.label_importances(forest, top=12, ax=ax)
