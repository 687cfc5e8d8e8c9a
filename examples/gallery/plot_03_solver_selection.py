"""
Which solver for this instance?
===============================

Algorithm selection: rank solvers by runtime, from features of the instance. A solver that runs out
of time is tied at the bottom with the others that did. With ``RANKWISE_DATA`` set this reads the
ASlib scenario CPMP-2015; otherwise a made-up scenario of the same shape.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rankwise as rw
from rankwise.datasets import Dataset, read
from rankwise.metrics import gap_closed, regret
from rankwise.validation import Costs, cross_validate

LIMIT = 3600.0


def made_up():
    """Four solvers, each at home on other instances; runtimes in seconds, cut at the limit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10))
    effort = 3 + X[:, :4] + 0.8 * X[:, [4]] + rng.normal(0, 0.3, (400, 4))
    seconds = np.minimum(np.exp(2 * effort), LIMIT)
    ranks = rw.ranks_from_scores(seconds, higher_is_better=False)
    seconds[seconds >= LIMIT] = 10 * LIMIT
    known = {
        "values": seconds,
        "higher_is_better": False,
        "unit": "s",
        "cutoff": LIMIT,
        "penalty": 10,
    }
    return Dataset(X, ranks, label_names=("A", "B", "C", "D"), name="made-up", **known)


folder = Path(os.environ.get("RANKWISE_DATA", "")) / "aslib" / "CPMP-2015"
scenario = read(folder) if folder.is_dir() else made_up()
seconds = scenario.values  # a run that was stopped counts ten times the limit (PAR10)
print(f"{scenario.name}: {scenario.n_samples} instances, solvers {', '.join(scenario.label_names)}")
print(
    f"instances on which some solver ran out of time: {(seconds >= LIMIT).any(axis=1).mean():.0%}"
)

# %%
# Learn on half of the instances, from rankings and seconds: a pair of solvers that differs by an hour
# then counts more than one that differs by a second. What is lost against the best choice for each
# instance, in seconds?

train, test = np.arange(0, len(seconds), 2), np.arange(1, len(seconds), 2)
forest = rw.ForestRanker(100, random_state=0)
forest.fit(scenario.features[train], scenario.ranks[train], values=seconds[train])
single_best = seconds[train].mean(axis=0).argsort().argsort() + 1
choices = {
    "worst solver": np.tile(len(single_best) + 1 - single_best, (len(test), 1)),
    "single best solver": np.tile(single_best, (len(test), 1)),
    "forest": forest.predict(scenario.features[test]),
}
lost = {
    name: float(regret(seconds[test], ranks, higher_is_better=False))
    for name, ranks in choices.items()
}
for name, value in lost.items():
    closed = gap_closed(seconds[test], choices[name], single_best, higher_is_better=False)
    print(f"{name:19} {value:7.1f} s lost per instance, {closed:5.0%} of the gap closed")

# %%

fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.barh(list(lost), list(lost.values()), color=["#bbbbbb", "#888888", "#1f77b4"])
ax.set_xlabel("seconds lost per instance, against the best choice")
ax.set_title(scenario.name)

# %%
# The same by cross-validation, with the scenario's own folds where it brings some. On the command
# line this, and the share of the gap closed, is ``rankwise evaluate CPMP-2015``.

cv = 10 if scenario.folds is None else scenario.splits()
forest = rw.ForestRanker(50, random_state=0)
found = cross_validate(forest, *scenario, cv=cv, costs=Costs.of(scenario), by_cost=True)
closed = found.summary("gap_closed")
print(
    f"closes {closed['mean']:.0%} of the gap between single and virtual best "
    f"(95 % interval {closed['low']:.0%} to {closed['high']:.0%})"
)
