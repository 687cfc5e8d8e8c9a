"""
Reaction conditions
===================

A chemist tried some of five solvents for each of 80 substrates. Which solvent first for a new one?
Cells that were not tried stay empty. The yields are made up; the shape is real.
"""

import numpy as np
import pandas as pd

import rankwise as rw
from rankwise import plots

rng = np.random.default_rng(0)
n = 80
X = pd.DataFrame(
    {
        "temperature": rng.choice([25, 40, 60, 80, 100], n),
        "logP": rng.normal(2, 1.2, n).round(1),
        "strong base": rng.integers(0, 2, n),
    }
)
heat = X.temperature - 60
yields = pd.DataFrame(
    {
        "THF": 45 - 0.25 * heat + 18 * X["strong base"],
        "DMF": 52 + 0.1 * heat,
        "toluene": 40 + 0.45 * heat + 6 * X.logP,
        "ethanol": 55 - 5 * X.logP,
        "water": 58 - 9 * X.logP,
    }
) + rng.normal(0, 5, (n, 5))
tried = yields.where(rng.random(yields.shape) < 0.8)

# %%
# Yields become ranks, 1 = first. What was not tried stays NaN: nothing is assumed about it.

Y = rw.ranks_from_scores(tried)
print(Y.head(3))

# %%
# Leaves of three rows: with so few substrates a leaf of one would repeat its noise.

model = rw.ForestRanker(n_estimators=100, min_samples_leaf=3, random_state=0).fit(X, Y)
new = pd.DataFrame({"temperature": [90], "logP": [3.0], "strong base": [0]})
print(model.predict(new))

# %%
# Where each solvent stands for the new substrate, with the spread over the trees.

ax = plots.row_positions(model, new)
