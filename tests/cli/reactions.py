"""A chemist's spreadsheet: names, a counter, texts, gaps, and yields of four solvents."""

import csv

import numpy as np

LABELS = ("THF", "DMF", "toluene", "ionic, wet")
HEADER = ("substrate", "nr", "temp", "base", "dry")
OPTIONS = ("--labels", 'THF,DMF,toluene,"ionic, wet"', "--higher-is-better")
QUICK = ("--trees", "8", "--folds", "3")


def write_reactions(path, n=40, seed=0, bases=("NaH", "Et3N", "KOH"), header=HEADER, sep=","):
    rng = np.random.default_rng(seed)
    with open(path, "w", newline="") as handle:
        writer = csv.writer(handle, delimiter=sep)
        writer.writerow([*header, *LABELS])
        for i in range(n):
            temp, base, dry = rng.normal(60, 20), rng.choice(bases), rng.choice(["yes", "no"])
            lift = np.array([temp / 10, 6 + 3 * (base == "NaH"), 5 + 3 * (dry == "yes"), 6])
            yields = [f"{y:.1f}" if rng.random() < 0.8 else "" for y in lift + rng.normal(size=4)]
            row = {
                "substrate": f"sub-{i:03d}",
                "nr": i + 1,
                "temp": f"{temp:.1f}" if rng.random() < 0.9 else "",
                "base": base,
                "dry": dry,
            }
            writer.writerow([*(row[name] for name in header), *yields])
    return path
