"""Parts of `bench_trees.py`: what missing labels, gaps and weights cost, and what a second core gives."""

from __future__ import annotations

import _tree_peers as peers
import numpy as np
from _machine import count_rate
from _peers import in_turn
from _tree_forests import LABELWISE, N_LABELS, N_TREES, our_forest, rows
from _tree_problems import linear, with_gaps
from _tree_table import TreeBench
from joblib import Parallel, delayed

from rankwise.forest import ForestRanker

# Labels, how many times as long as complete rankings incomplete ones may take, the peer's trees.
INCOMPLETE = ((5, 3, 10), (10, 3, 10), (20, 8, 4), (40, 8, 4))
PAIRS = "PairwiseRanker(RandomForestClassifier)"


def incomplete(bench: TreeBench, quick: bool) -> None:
    """40 % of the labels missing: against complete rankings, and against a forest per pair."""
    for k, limit, peer_trees in INCOMPLETE[: 2 if quick else 4]:
        X, Y, test = linear("continuous", rows(quick, 4_000), 20, k)
        holed = with_gaps(Y, 0.4)
        complete = our_forest(X, Y)
        seconds = bench.best(lambda fit=complete: fit(10, 0), 3)  # type: ignore[misc]
        work = f"40 % of {k} labels missing, {len(X):,} x 20 continuous"
        found = bench.duel(
            work, our_forest(X, holed), PAIRS, peers.per_pair(X, holed), test,
            trees=10, peer_trees=peer_trees, repeat=2,
        )  # fmt: skip
        bench.limit(
            f"{work}, over complete", found.figure / seconds, limit, unit="times",
            note=f"{seconds:.2f} s to {found.figure:.2f} s",
        )  # fmt: skip


def gaps_and_weights(bench: TreeBench, quick: bool) -> None:
    """Features with gaps, rows with fractional weights: against the same data without."""
    n = rows(quick, 10_000)
    X, Y, test = linear("continuous", n, 20, N_LABELS)
    holed = with_gaps(X, 0.05)
    new = with_gaps(test[0], 0.05), test[1]
    weights = np.random.default_rng(0).random(n)
    plain = our_forest(X, Y)
    seconds = bench.best(lambda: plain(10, 0), 3)
    for name, ours, theirs, rows_to_judge in (
        ("5 % gaps in the features", our_forest(holed, Y), peers.labelwise(holed, Y), new),
        ("fractional weights", our_forest(X, Y, weights), peers.labelwise(X, Y, weights=weights),
         test),
    ):  # fmt: skip
        work = f"{name}, {n:,} x 20 continuous"
        found = bench.duel(
            work, ours, LABELWISE, theirs, rows_to_judge, trees=10, peer_trees=5, repeat=2
        )
        bench.limit(
            f"{work}, over none", found.figure / seconds, 2, unit="times",
            note=f"{seconds:.3f} s to {found.figure:.3f} s",
        )  # fmt: skip


def cores(bench: TreeBench, quick: bool) -> None:
    """Needs two idle cores: the last row says whether they were."""
    n = rows(quick, 10_000)
    for kind, d in (("yes/no", 100), ("continuous", 20)):
        X, Y, test = linear(kind, n, d, N_LABELS)
        one, two = (ForestRanker(N_TREES, random_state=0, n_jobs=jobs) for jobs in (1, 2))
        seconds = in_turn(lambda: two.fit(X, Y), lambda: one.fit(X, Y))  # noqa: B023
        same = (one.predict(test[0]) == two.predict(test[0])).all()
        bench.record(
            f"two cores, {N_TREES} trees, {n:,} x {d} {kind}", seconds[0], "one core", seconds[1],
            goal=1.8, note="wall clock; predictions " + ("are equal" if same else "DIFFER"),
        )  # fmt: skip
    with Parallel(n_jobs=2, prefer="threads") as parallel:
        together, one_by_one = in_turn(
            lambda: parallel(delayed(count_rate)() for _ in range(2)),
            lambda: [count_rate() for _ in range(2)],
        )
    bench.record("what two cores give at most", together, "one core", one_by_one, note="wall clock")
