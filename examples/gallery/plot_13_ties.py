"""
As good as each other
=====================

Farmers give each of five varieties one to five stars, and two varieties with as many stars are tied.
A model that cannot tie must put one of them first, with no sign that it might as well be the other.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rankwise as rw
from rankwise import plots
from rankwise.metrics import exact_match, tau_x

rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame({"rain": rng.uniform(200, 1000, n), "height": rng.uniform(0, 2000, n)})
wet, high = (X.rain > 600) * 1.0, (X.height > 1000) * 1.0
liking = pd.DataFrame(
    {
        "early maize": 4 - 2 * wet,
        "late maize": 2 + 2 * wet,
        "millet": 4 - 2 * wet - high,
        "sorghum": 4 - 2 * wet - high,
        "rice": 1 + 2 * wet - high,
    }
)
stars = (liking + rng.normal(0, 0.25, liking.shape)).round()
Y = rw.ranks_from_scores(stars)
train, test = np.arange(n) < 300, np.arange(n) >= 300
print(f"rows with a tie: {np.mean([len(set(row)) < 5 for row in Y.to_numpy()]):.0%}")

# %%
# A forest that learns ties, and one that must not. What counts is tau_X, for which a tie is an answer.

tied = rw.ForestRanker(100, random_state=0).fit(X[train], Y[train])
strict = rw.ForestRanker(100, ties="never", random_state=0).fit(X[train], Y[train])
for name, model in {"ties": tied, "no ties": strict}.items():
    said = model.predict(X[test])
    print(
        f"{name:8} tau_X {tau_x(Y[test], said):.2f}, wholly right {exact_match(Y[test], said):.0%}"
    )
print(
    f"labels are tied unless more than {tied.ties_:.0%} speaks for the one strictly before the other"
)

# %%
# One row where the truth is tied: a dry field, low down.

row = X[test].query("rain < 500 and height < 800").iloc[[0]]
answers = {
    "truth": Y.loc[row.index],
    "forest with ties": tied.predict(row),
    "forest without": strict.predict(row),
    "first place alone": tied.predict(row, top=1),
}
for name, ranks in answers.items():
    print(f"{name:18}", rw.format_rankings(ranks)[0])

# %%
# Labels on one band are tied. Without ties the same field looks like a race with a winner.

fig, axes = plt.subplots(1, 2, figsize=(11, 3.6), sharex=True, layout="constrained")
for ax, (name, model) in zip(axes, {"with ties": tied, "without": strict}.items(), strict=True):
    plots.row_positions(model, row, ax=ax)
    ax.set_title(name)

# %%
# Why are two labels tied?

print(rw.explain(tied, row, "millet", "sorghum", X=X[train], Y=Y[train], n_rows=3))
