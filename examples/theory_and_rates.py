"""The theorems on trees beside what is measured: error against rows, and rows against features.

    python examples/theory_and_rates.py            # a minute of processor time, two pictures
    python examples/theory_and_rates.py --quick    # some seconds: fewer rows, features and repeats

The error is E[d2(h, h_hat)], the mean squared Spearman distance of predicted and true rankings, on
new rows; there are 4 labels, so that no two rankings are further apart than 20. Features are fair
coins, independent of each other, and rankings complete and without noise. In this case the theorem
lets the error of Level-Splits with r levels fall as n^(-1/2), that of Breiman's tree as n^(-1/3).
It draws ``theory_rates.png`` and ``theory_features.png`` into the current folder. It shows:

- Where positions depend on r features, the error falls far faster than the bound's slope: with
  Level-Splits it is 0 from 20 rows on for r = 2, 160 for r = 4 and 320 for r = 6. Honest trees need
  two to four times the rows, as one half chooses the cuts and the other fills the cells.
- Breiman's tree keeps a small error in a few of the 20 problems. For r = 4 these are the two in
  which some cell has two features that matter only together: diminishing returns fail there, which
  is the theorem's condition.
- Where each label's score depends on r features of its own, positions depend on those of all
  labels, up to 4 r. Then r levels are too few: the error of Level-Splits stops at about 1, however
  many rows there are. The r of the theorem is that of the positions; `rankwise.theory.sparsity`
  estimates it from rankings.
- Rows needed for an error of 1 grow with log d: from 20 at d = 10 to 56 at d = 10,000 with
  Level-Splits, from 22 to 98 with Breiman. That is steeper than log(dk/delta), in which d is
  beside a constant, but a line in log d as well.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.metrics import spearman_distance
from rankwise.oracles import BooleanFeatures, Oracle, SparseLinear
from rankwise.theory import tree_sample_size
from rankwise.tree import TreeRanker

N_LABELS, N_FEATURES, DELTA = 4, 50, 0.05
SPARSITIES = (2, 4, 6)
# Smaller errors, none among them, are drawn here.
FLOOR = 1e-3
# The power of n in the bound of each criterion for independent features.
POWERS = {"level": -1 / 2, "breiman": -1 / 3}
SHAPE = "bound's shape: log(dk/delta)"
METHODS = {
    "Level-Splits": ("level", False),
    "Level-Splits, honest": ("level", True),
    "Breiman": ("breiman", False),
    "Breiman, honest": ("breiman", True),
}


@dataclass(frozen=True)
class Plan:
    """How much to measure: rows, features, training sets per figure, and new rows."""

    sizes: tuple[int, ...]
    features: tuple[int, ...]
    repeats: int
    n_new: int = 1000


FULL = Plan((10, 20, 40, 80, 160, 320, 640, 1280, 2560), (10, 32, 100, 316, 1000, 3162, 10_000), 20)
QUICK = Plan((10, 40, 160), (10, 100), 2, 200)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="some seconds instead of minutes")
    plan = QUICK if parser.parse_args().quick else FULL
    rates = {
        (shared, r): errors_by_rows(shared, r, plan) for shared in (True, False) for r in SPARSITIES
    }
    needed = rows_by_features(plan)
    try:
        draw_rates(rates, plan)
        draw_features(needed, plan)
        print("drew theory_rates.png and theory_features.png")
    except ImportError as error:
        print(f"no pictures: {error}")


def make_oracle(d: int, r: int, shared: bool, seed: int) -> Oracle:
    """Scores linear in r of d Boolean features: the same for all labels, or each label's own."""
    if not shared:
        return Oracle(SparseLinear(d, N_LABELS, r, random_state=seed))
    scores = SparseLinear(r, N_LABELS, r, random_state=seed)
    return Oracle(lambda X: scores(X[:, :r]), features=BooleanFeatures(d))


def error(oracle: Oracle, method: str, r: int, n: int, seed: int, n_new: int) -> float:
    """E[d2] of a tree grown on n rows: r levels for Level-Splits, fully for Breiman."""
    criterion, honest = METHODS[method]
    levels = r if criterion == "level" else None
    X, Y = oracle.sample(n, random_state=seed)
    X_new, truth = oracle.sample(n_new, random_state=seed + 1_000_000)
    tree = TreeRanker(criterion, max_splits=levels, honest=honest, random_state=seed)
    return float(spearman_distance(truth, tree.fit(X, Y).predict(X_new)))


def errors_by_rows(shared: bool, r: int, plan: Plan) -> dict[str, np.ndarray]:
    """For each method the error of every repeat, by number of rows."""
    whose = "positions" if shared else "scores of each label"
    print(f"\nE[d2] where the {whose} depend on r = {r} of {N_FEATURES} features")
    print(f"{'rows':>22}" + "".join(f"{n:>8}" for n in plan.sizes))
    found = {}
    for method in METHODS:
        found[method] = np.array(
            [
                [
                    error(make_oracle(N_FEATURES, r, shared, s), method, r, n, s, plan.n_new)
                    for n in plan.sizes
                ]
                for s in range(plan.repeats)
            ]
        )
        means = found[method].mean(axis=0)
        print(f"{method:>22}" + "".join(f"{mean:8.3f}" for mean in means))
    return found


def rows_by_features(plan: Plan, r: int = 4, goal: float = 1.0) -> dict[str, list[float]]:
    """Rows at which the mean error falls to `goal`, on a grid of sizes, by number of features."""
    print(f"\nrows until E[d2] is {goal:g}, where positions depend on r = {r} of d features")
    print(f"{'d':>22}" + "".join(f"{d:>8}" for d in plan.features))
    sizes = np.unique(np.geomspace(10, 640, 7 if plan is QUICK else 19).round().astype(int))
    found: dict[str, list[float]] = {}
    for method in ("Level-Splits", "Breiman"):
        found[method] = [first_below(d, r, method, sizes, goal, plan) for d in plan.features]
        print(f"{method:>22}" + "".join(f"{n:8.0f}" for n in found[method]))
    bound = [tree_sample_size("level", d, N_LABELS, r, 1, 0.5, DELTA, True) for d in plan.features]
    shape = [found["Level-Splits"][0] * n / bound[0] for n in bound]
    print(f"{'log(dk/delta), scaled':>22}" + "".join(f"{n:8.0f}" for n in shape))
    return {**found, SHAPE: shape}


def first_below(d: int, r: int, method: str, sizes: Any, goal: float, plan: Plan) -> float:
    """Go up the sizes until the mean error is at the goal; take the place between the last two."""
    last_n, last_error = float("nan"), float("nan")
    for n in sizes:
        mean = np.mean(
            [
                error(make_oracle(d, r, True, s), method, r, int(n), s, min(500, plan.n_new))
                for s in range(plan.repeats)
            ]
        )
        if mean <= goal:
            if not last_error > goal:
                return float(n)
            share = (last_error - goal) / (last_error - mean)
            return float(last_n * (n / last_n) ** share)
        last_n, last_error = n, mean
    return float("nan")


def draw_rates(rates: dict[tuple[bool, int], dict[str, np.ndarray]], plan: Plan) -> None:
    """Draw the error against rows, beside the bound's slope, one panel per r and kind of problem."""
    from matplotlib.figure import Figure

    from rankwise.plots import learning_curve

    figure = Figure(figsize=(13, 8), layout="constrained")
    panels = figure.subplots(2, len(SPARSITIES), sharex=True, sharey=True)
    sizes = np.array(plan.sizes)
    for (shared, r), panel in zip(rates, panels.flat, strict=True):
        curves = {
            name: (sizes, np.maximum(errors.mean(axis=0), FLOOR))
            for name, errors in rates[shared, r].items()
        }
        learning_curve(curves, x_label="rows", y_label="E[d2]", log_x=True, log_y=True, ax=panel)
        start = max(mean[0] for _, mean in curves.values())
        for criterion, style in (("level", ":"), ("breiman", "--")):
            slope = start * (sizes / sizes[0]) ** POWERS[criterion]
            name = f"slope of the bound, {'Level-Splits' if criterion == 'level' else 'Breiman'}"
            panel.plot(sizes, slope, style, color="gray", label=name)
        whose = "positions" if shared else "each label's score"
        panel.set_title(f"{whose} on r = {r} features", fontsize="medium")
        panel.get_legend().remove()
    handles, names = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle(f"Measured error and the slope of its bound (at {FLOOR:g}: that, or less)")
    figure.savefig("theory_rates.png", dpi=110)


def draw_features(needed: dict[str, list[float]], plan: Plan) -> None:
    """Draw the rows needed against the number of features."""
    from matplotlib.figure import Figure

    from rankwise.plots import learning_curve

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    panel = figure.subplots()
    curves = {name: (plan.features, rows) for name, rows in needed.items() if name in METHODS}
    learning_curve(curves, x_label="features d", y_label="rows needed", log_x=True, ax=panel)
    panel.plot(plan.features, needed[SHAPE], "--", color="gray", label=SHAPE)
    panel.legend(frameon=False)
    panel.set_ylim(0)
    panel.set_title("Rows until E[d2] is 1, beside the shape of the bound", fontsize="medium")
    figure.savefig("theory_features.png", dpi=110)


if __name__ == "__main__":
    main()
