"""
Sushi-like preferences
======================

Everybody orders ten kinds of sushi; age and home region explain a part of it. Such data is noisy:
people differ. With ``RANKWISE_DATA`` set, thirteen people of the sushi survey come first; they are too
few to learn from. The others are made up, by a Mallows model around what each group likes.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rankwise as rw
from rankwise import plots
from rankwise.baselines import Consensus
from rankwise.consensus import kemeny, pairwise_matrix
from rankwise.datasets import read
from rankwise.oracles import Mallows, Oracle, UniformFeatures

KINDS = [
    "shrimp",
    "eel",
    "tuna",
    "squid",
    "urchin",
    "roe",
    "egg",
    "fatty tuna",
    "tuna roll",
    "cucumber",
]
base = np.array([0.62, 0.55, 0.7, 0.4, 0.5, 0.52, 0.3, 0.9, 0.45, 0.1])


def liking(X):
    """Older people like eel and urchin more; the north likes roe, the south likes squid."""
    scores = np.tile(base, (len(X), 1))
    age, north = X[:, 0] - 0.5, X[:, 1] - 0.5
    scores[:, 1] += 0.5 * age
    scores[:, 4] += 0.6 * age
    scores[:, 6] -= 0.3 * age
    scores[:, 5] += 0.4 * north
    scores[:, 3] -= 0.4 * north
    return scores


survey = Path(os.environ.get("RANKWISE_DATA", "")) / "xarff" / "sushi_mini.xarff"
if survey.is_file():
    asked = read(survey)
    agree = rw.metrics.kendall_tau(asked.ranks, np.tile(kemeny(asked.ranks), (len(asked), 1)))
    print(f"{len(asked)} people of the survey; tau with their own best list: {agree:.2f}")

# %%
# The made-up people: as many as a survey would ask.

people = Oracle(liking, features=UniformFeatures(2), noise=Mallows(0.6))
X, Y = people.sample(1500, random_state=0)

# %%
# One list for all people, the one that contradicts them least (Kemeny, exact):

print(rw.format_rankings([kemeny(Y)], labels=KINDS)[0])

# %%
# A forest also uses age and region. Tau is low for both, because people differ.

X_new, Y_new = people.sample(500, random_state=1)
forest = rw.ForestRanker(50, min_samples_leaf=30, random_state=0).fit(X, Y)
for name, model in {"one list for all": Consensus("kemeny").fit(X, Y), "forest": forest}.items():
    clean = model.score(X_new, people.truth(X_new))
    print(
        f"{name:17} tau {model.score(X_new, Y_new):.2f} with people, {clean:.2f} with their groups"
    )

# %%
# Who beats whom, over all people and among the old in the north.

fig, (left, right) = plt.subplots(1, 2, figsize=(13, 5.4), layout="constrained")
of_people = plots.pair_chances(pairwise_matrix(Y), KINDS, left, name="share of people")
of_people.set_title("all people")
shares = forest.predict_pairwise([[0.95, 0.9]])[0]
of_trees = plots.pair_chances(shares, KINDS, right, name="share of trees")
of_trees.set_title("old, in the north")
