"""
Reaction conditions
===================

A chemist tried some of five solvents for each of 80 substrates. Which solvent first for a new one?
Cells that were not tried stay empty. The file comes with the package; its yields are made up.
"""

import pandas as pd

import rankwise as rw
from rankwise import plots

data = rw.datasets.load("solvents")
print(data.source)
print(data.X.head(3))

# %%
# Yields have become ranks, 1 = first. What was not tried stays NaN: nothing is assumed about it.

print(data.Y.head(3))

# %%
# Leaves of three rows: with so few substrates a leaf of one would repeat its noise.

model = rw.ForestRanker(n_estimators=100, min_samples_leaf=3, random_state=0).fit(data.X, data.Y)
new = pd.DataFrame({"temperature": [90], "logP": [3.0], "strong base": [0]})
print(model.predict(new))

# %%
# Where each solvent stands for the new substrate, with the spread over the trees.

ax = plots.row_positions(model, new)
