"""
One tree to show to others
==========================

A forest mostly predicts better, but everybody can read a single shallow tree. And a
Level-Splits tree, which asks one question per level, names the features that matter.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rankwise as rw
from rankwise import plots

rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "hour": rng.integers(6, 22, 400),
        "warmth": rng.normal(18, 6, 400).round(),
        "late": (rng.random(400) < 0.3).astype(int),
    }
)
liking = pd.DataFrame(
    {
        "coffee": 0.5 + 0.4 * (X.hour < 11) + 0.2 * X.late,
        "tea": 0.7 - 0.3 * (X.warmth > 20),
        "water": 0.3 + 0.4 * (X.warmth > 20),
    }
) + rng.normal(0, 0.1, (400, 3))
Y = rw.ranks_from_scores(liking)

# %%

tree = rw.TreeRanker(max_depth=2, decomposition="joint").fit(X, Y)
fig, ax = plt.subplots(figsize=(10, 5), layout="constrained")
plots.draw_tree(tree, ax=ax, X=X)

# %%
# Level-Splits, for each label: which feature, at which value.

level = rw.TreeRanker(criterion="level", max_splits=3).fit(X, Y)
for label, splits in zip(level.labels_, level.splits_, strict=True):
    asked = [f"{X.columns[split.feature]} > {split.threshold:g}" for split in splits]
    print(f"{label:7}", ", ".join(asked))

# %%
# Is a shallow tree worse than a forest? Not here: three yes/no questions decide, and depth 2 asks almost
# all of them. With many small effects a forest is better.

half = np.arange(400) % 2 == 0
forest = rw.ForestRanker(50, min_samples_leaf=5, random_state=0)
for name, model in {"tree of depth 2": tree, "forest": forest}.items():
    print(f"{name:16} tau {model.fit(X[half], Y[half]).score(X[~half], Y[~half]):.2f}")
