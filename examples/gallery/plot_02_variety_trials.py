"""
Variety trials
==============

Farmers each grow three of eight varieties and rank them; some cannot tell two of them apart. The
rankings are incomplete and tied, and the weather differs between farms. Made-up data of that shape.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rankwise as rw
from rankwise import plots
from rankwise.baselines import Consensus
from rankwise.oracles import Oracle, Partition, RandomSubset, TruncatedGaussian, UniformFeatures

VARIETIES = [f"V{i}" for i in range(1, 9)]
rng = np.random.default_rng(1)
likes_rain, likes_heat = rng.normal(0, 0.25, (2, 8))


def vigour(X):
    """How well each variety does; the columns of X are rain and heat, from 0 to 1."""
    return 0.5 + np.outer(X[:, 0] - 0.5, likes_rain) + np.outer(X[:, 1] - 0.5, likes_heat)


farms = Oracle(
    vigour,
    features=UniformFeatures(2),
    noise=TruncatedGaussian(0.05),
    mechanism=[RandomSubset(3), Partition(0.85)],
)
X, Y = farms.sample(900, random_state=0)
Y = pd.DataFrame(Y, columns=VARIETIES)
for text in rw.format_rankings(Y[2:7]):
    print(text)

# %%
# One list for everybody is the floor. A forest ranks by weather.

X_new, _ = farms.sample(500, random_state=1)
truth = farms.truth(X_new)
forest = rw.ForestRanker(50, min_samples_leaf=5, random_state=0)
for name, model in {"one list for all": Consensus(), "forest": forest}.items():
    print(f"{name:17} tau {model.fit(X, Y).score(X_new, truth):.2f}")

# %%
# On a wet, cool farm: where each variety is expected, and who beats whom by how many of the trees.

farm = [[0.9, 0.1]]
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
plots.row_positions(forest, farm, ax=left)
plots.pairwise_certainty(forest, farm, ax=right)
