"""
Reading what people have
========================

Rankings come as long tables, as ballots in PrefLib's format, as texts. All become the same matrix of
positions. The files are written here, so that you can see what is in them.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import rankwise as rw
from rankwise import plots
from rankwise.consensus import borda
from rankwise.datasets import read

folder = Path(tempfile.mkdtemp())

# %%
# **A long table**: one line per person and drink, with features that repeat.

(folder / "long.csv").write_text(
    """person,drink,rank,age
ann,tea,1,61
ann,coffee,2,61
bob,coffee,1,25
bob,juice,2,25
bob,tea,3,25
cem,juice,1,19
cem,tea,2,19
"""
)
people = read(folder / "long.csv", columns={"row": "person", "label": "drink", "rank": "rank"})
print(people.label_names)
print(people.Y)

# %%
# **PrefLib**: orders with ties in braces and how many gave them. There are no features; the counts
# are weights.

(folder / "votes.toi").write_text(
    """# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 27
# NUMBER UNIQUE ORDERS: 4
# ALTERNATIVE NAME 1: tea
# ALTERNATIVE NAME 2: coffee
# ALTERNATIVE NAME 3: juice
# ALTERNATIVE NAME 4: water
12: 2,1,{3,4}
8: 1,4
4: 3,{1,2}
3: 4,1,2,3
"""
)
votes = read(folder / "votes.toi")
texts = rw.format_rankings(votes.Y, labels=votes.label_names)
for text, weight in zip(texts, votes.weights, strict=True):
    print(f"{weight:3.0f} x {text}")
winner = borda(votes.Y, sample_weight=votes.weights).argmin()
print("first by Borda:", votes.label_names[winner])

# %%
# **Texts**, as in a form that people filled in:

ranks, labels = rw.parse_rankings(
    ["tea > coffee ~ juice", "coffee > water", "juice > tea > water", "tea > water > coffee"]
)
fig, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
plots.label_profile(ranks, labels=labels, ax=ax)
