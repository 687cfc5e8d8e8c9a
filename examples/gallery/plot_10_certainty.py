"""
How sure, and is that true?
===========================

Forests with leaves of one row are too sure of themselves on noisy data. Larger leaves and honest
trees say what comes true, or nearly. Each curve compares what was said with what happened, over all
pairs of labels in new rows; on the diagonal is right.
"""

import matplotlib.pyplot as plt
import numpy as np

import rankwise as rw
from rankwise.oracles import Oracle, SparseLinear, TruncatedGaussian

oracle = Oracle(SparseLinear(8, 4, 3, random_state=2), noise=TruncatedGaussian(0.15))
X, Y = oracle.sample(400, random_state=0)
X_new, Y_new = oracle.sample(2000, random_state=1)
before = Y_new[:, :, None] < Y_new[:, None, :]
i, j = np.triu_indices(4, k=1)

forests = {
    "leaves of 1 row": rw.ForestRanker(100, decomposition="joint_pairwise", random_state=0),
    "leaves of 20 rows": rw.ForestRanker(
        100, min_samples_leaf=20, decomposition="joint_pairwise", random_state=0
    ),
    "honest, leaves of 5": rw.ForestRanker(
        100, honest=True, min_samples_leaf=5, decomposition="joint_pairwise", random_state=0
    ),
}

# %%

fig, ax = plt.subplots(figsize=(5.4, 5), layout="constrained")
ax.plot([0, 1], [0, 1], color="grey", lw=1, ls="--")
for name, forest in forests.items():
    shares = forest.fit(X, Y).predict_pairwise(X_new)
    said, true = shares[:, i, j].ravel(), before[:, i, j].ravel()
    tenth = np.minimum((said * 10).astype(int), 9)
    bins = [b for b in range(10) if (tenth == b).sum() >= 50]
    ax.plot(
        [said[tenth == b].mean() for b in bins], [true[tenth == b].mean() for b in bins], "o-",
        label=name,
    )  # fmt: skip
    sure = np.maximum(said, 1 - said).mean()
    right = np.where(said > 0.5, true, ~true).mean()
    tau = forest.score(X_new, oracle.truth(X_new))
    print(f"{name:20} said {sure:.2f}, true {right:.2f}; tau with the truth {tau:.2f}")
ax.set_xlabel("share of trees: a before b")
ax.set_ylabel("how often a was before b")
ax.legend()
