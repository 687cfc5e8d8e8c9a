"""Trees and forests: which label first, how sure, and which features decide.

Run it with ``python examples/trees_and_forests.py``. Where matplotlib is installed it also draws
``trees_and_forests.png`` into the current folder. It prints:

    oats   splits on [15, 0, 24, 29, 20], of which 5 matter
    rye    splits on [15, 9, 29, 11, 0], of which 5 matter
    wheat  splits on [29, 15, 11, 0, 24], of which 5 matter
    Level-Splits tree  tau 0.85
    fully grown tree   tau 0.72
    forest             tau 0.87
    field 0: rye before wheat, 96% sure
    field 1: rye before oats, 72% sure
    field 2: rye before wheat, 86% sure
    oats   decided by feature 15 (18%), feature 0 (17%), feature 24 (13%), feature 29 (11%)
    rye    decided by feature 15 (62%), feature 9 (4%), feature 29 (4%), feature 0 (4%)
    wheat  decided by feature 29 (26%), feature 15 (19%), feature 11 (8%), feature 0 (8%)
"""

from __future__ import annotations

import numpy as np

import rankwise as rw
from rankwise.oracles import Oracle, SparseLinear, TruncatedGaussian

LABELS = ["oats", "rye", "wheat"]

# 1. A problem whose answer is known. There are 30 yes/no features (say, facts about a field), but
#    the yield of each crop depends on only three of them. We see 1,500 fields, and for each of them
#    a noisy ranking of the crops.
scores = SparseLinear(n_features=30, n_labels=3, sparsity=3, random_state=1)
oracle = Oracle(scores, noise=TruncatedGaussian(0.05))
X, Y = oracle.sample(1500, random_state=0)
X_new, _ = oracle.sample(1000, random_state=1)
truth = oracle.truth(X_new)

# 2. Level-Splits, the tree of the paper's theory: one direction for all cells of a level. Its first
#    directions are features that matter to some crop: sparsity is found, not given. (The position of
#    a crop depends on the yields of all crops, so the features of all of them count.)
relevant = {int(j) for support in scores.supports for j in support}
tree = rw.TreeRanker(criterion="level", max_splits=5).fit(X, Y)
for name, splits in zip(LABELS, tree.splits_, strict=True):
    chosen = [s.feature for s in splits]
    print(f"{name:6} splits on {chosen}, of which {len(relevant.intersection(chosen))} matter")

# 3. Three learners on new fields. Kendall's tau is 1 for the true ranking, 0 for guessing, -1 for
#    its reverse. One fully grown tree follows the noise; a forest averages it away.
learners = {
    "Level-Splits tree": tree,
    "fully grown tree": rw.TreeRanker(random_state=0).fit(X, Y),
    "forest": rw.ForestRanker(n_estimators=100, random_state=0).fit(X, Y),
}
for name, model in learners.items():
    print(f"{name:18} tau {model.score(X_new, truth):.2f}")

# 4. How sure? The share of trees that put the first label before the second, for the first three
#    fields.
forest = learners["forest"]
ranks, sure = forest.predict(X_new[:3]), forest.predict_pairwise(X_new[:3])
for row in range(3):
    first, second = np.argsort(ranks[row])[:2]
    print(
        f"field {row}: {LABELS[first]} before {LABELS[second]}, {sure[row, first, second]:.0%} sure"
    )

# 5. Which features decide where each crop stands?
for name, importances in zip(LABELS, forest.label_importances_, strict=True):
    top = np.argsort(-importances)[:4]
    print(f"{name:6} decided by " + ", ".join(f"feature {j} ({importances[j]:.0%})" for j in top))


def draw() -> None:
    """Draw the importances, with the features that truly matter marked."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
    image = ax.imshow(forest.label_importances_, cmap="Blues", aspect="auto")
    for label, support in enumerate(scores.supports):
        ax.plot(
            support, np.full(len(support), label), "o", mfc="none", mec="darkorange", ms=11, mew=2
        )
    ax.set_yticks(range(len(LABELS)), LABELS)
    ax.set_xlabel("feature")
    ax.set_title("Which features decide where each crop stands (rings: the features of its yield)")
    fig.colorbar(image, label="importance")
    fig.savefig("trees_and_forests.png", dpi=120)


try:
    draw()
    print("drew trees_and_forests.png")
except ImportError:
    print("for the picture: pip install 'rankwise[plot]'")
