"""
Which conditions first, and what to expect?
===========================================

A lab's own file: one line per reaction, semicolons and decimal commas, some reactions run twice, a
line copied by mistake, an empty cell, and one catalyst written in two ways. From there to "try this
first, expect so much".
"""

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rankwise as rw
from rankwise.datasets import read
from rankwise.metrics import regret
from rankwise.validation import Costs, cross_validate

CONDITIONS = ("CuI, Cs2CO3", "Pd(OAc)2, K3PO4", "NiCl2, Et3N", "no metal, NaH")


def lab_file(n=60):
    """Write yields of four conditions for n substrates, as a spreadsheet would."""
    rng = np.random.default_rng(3)
    lines = ["substrate;conditions;yield;pKa;size"]
    for i in range(n):
        acid, size = rng.uniform(2, 14), rng.uniform(1, 9)
        best = np.array([75 - 4 * abs(acid - 9), 80 - 6 * size, 40 + 2 * size, 5 * acid])
        for name, mean in zip(CONDITIONS, best, strict=True):
            for _ in range(1 + (rng.random() < 0.3)):
                amount = float(np.clip(mean + rng.normal(0, 4), 0, 100))
                pka = "" if rng.random() < 0.05 else f"{acid:.1f}"
                name = name.upper() if i == 7 and name.startswith("Cu") else name
                lines.append(f"S-{i:02d};{name};{amount:.1f};{pka};{size:.1f}".replace(".", ","))
    lines.insert(9, lines[8])
    path = Path(mkdtemp()) / "yields.csv"
    path.write_text("\n".join(lines), encoding="utf-8-sig")
    return path


path = lab_file()
roles = {"row": "substrate", "label": "conditions", "value": "yield"}
yields = read(path, columns=roles, higher_is_better=True, unit="%")
print(*yields.notes, sep="\n")

# %%
# Five conditions? There should be four. An audit sees why.

report = rw.audit(yields.X, yields.Y, labels=yields.label_names, features=yields.feature_names)
print(next(finding for finding in report.findings if finding.topic == "look-alikes").message)
path.write_text(path.read_text(encoding="utf-8-sig").replace("CUI, CS2CO3", "CuI, Cs2CO3"))
yields = read(path, columns=roles, higher_is_better=True, unit="%", within="sd")
print(
    yields.n_labels,
    "conditions; standard deviation of a run",
    round(yields.pooled_spread(), 1),
    "%",
)

# %%
# What does following the forest cost, against the best conditions of every substrate?

forest = rw.ForestRanker(100, random_state=0)
found = cross_validate(forest, *yields, cv=10, costs=Costs.of(yields, top=2), by_cost=True)
for who in (None, "single_best", "virtual_best"):
    value, lost = (found.summary(metric, who)["mean"] for metric in ("value", "regret"))
    print(f"{who or 'forest':13} yields {value:.1f} %, loses {lost:.1f} %")
print(f"the better of the first two loses {found.summary('regret_of_top')['mean']:.1f} %")

# %%
# A new substrate: what first, and what to expect of each?

forest.fit(*yields, values=yields.values)
new = pd.DataFrame({"pKa": [9.5], "size": [5.0]})
expected, spread = (part.iloc[0] for part in forest.predict_values(new, return_std=True))
order = forest.predict(new).iloc[0].sort_values().index
first = order[0]
lost = np.quantile(regret(yields.values, found.ranks, average=False), 0.9, method="higher")
print(
    f"Try {first} first, expected {expected[first]:.0f} ± {spread[first]:.0f} %; "
    f"it costs at most {lost:.0f} % against the best, in 9 of 10 substrates not seen before."
)

# %%
# The same by three commands, from the file as it is, ``.csv`` or ``.xlsx``:
# ``rankwise audit``, ``rankwise fit`` and ``rankwise predict --words``; see :doc:`/guide/values`.

fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.errorbar(expected[order[::-1]], order[::-1], xerr=spread[order[::-1]], fmt="o", capsize=3)
ax.set_xlabel("expected yield, %")
ax.set_title("A substrate of pKa 9.5 and size 5")
