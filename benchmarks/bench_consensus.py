"""Exact `kemeny_batch` against `scipy.optimize.milp` on the same problems, and its distances."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from _peers import Bench, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: E402
from scipy.sparse import lil_array  # noqa: E402

from rankwise.consensus import kemeny_batch  # noqa: E402

N_PROBLEMS, N_LABELS = 1_000, 8
# SciPy is timed on a sample of the problems and the time is scaled; distances are compared on all.
SAMPLE = 100


def main() -> None:
    bench = Bench(f"consensus, {N_PROBLEMS:,} problems of {N_LABELS} labels, one thread")
    rng = np.random.default_rng(0)
    against_milp(bench, "kemeny_batch, 5 random rankings each", five_rankings(rng))
    against_milp(bench, "kemeny_batch, random support", random_support(rng))
    bench.show()


def five_rankings(rng: np.random.Generator) -> np.ndarray:
    ranks = rng.random((N_PROBLEMS, 5, N_LABELS)).argsort(axis=2)
    return (ranks[..., :, None] < ranks[..., None, :]).sum(axis=1).astype(float)


def random_support(rng: np.random.Generator) -> np.ndarray:
    """Nearly every problem is one knot of cycles: no majority order, no short cut."""
    return rng.integers(0, 100, size=(N_PROBLEMS, N_LABELS, N_LABELS)).astype(float)


def against_milp(bench: Bench, name: str, W: np.ndarray) -> None:
    solve = linear_ordering(N_LABELS)
    ranks = kemeny_batch(W)
    before = ranks[:, :, None] < ranks[:, None, :]
    distances = (W.transpose(0, 2, 1) * before).sum(axis=(1, 2))
    gap = np.abs(distances - [solve(problem) for problem in W]).max()
    bench.compare(
        name,
        lambda: kemeny_batch(W),
        "scipy.optimize.milp",
        lambda: [solve(problem) for problem in W[:SAMPLE]],
        goal=50,
        scale=N_PROBLEMS / SAMPLE,
        repeat=3,
        note=f"peer timed on {SAMPLE} problems and scaled; all {N_PROBLEMS:,} distances: "
        f"max abs difference {gap:.1e}",
    )


def linear_ordering(k: int) -> Callable[[np.ndarray], float]:
    """Return a function from supports to the least distance; constraints are built once."""
    pairs = list(combinations(range(k), 2))
    triples = list(combinations(range(k), 3))
    matrix = lil_array((len(triples), len(pairs)))
    for row, (a, b, c) in enumerate(triples):
        for pair, sign in (((a, b), 1), ((b, c), 1), ((a, c), -1)):
            matrix[row, pairs.index(pair)] = sign
    constraints = LinearConstraint(matrix.tocsr(), 0, 1)
    first, second = np.array(pairs).T
    whole = np.ones(len(pairs))

    def solve(W: np.ndarray) -> float:
        price = W[second, first] - W[first, second]
        found = milp(price, integrality=whole, bounds=Bounds(0, 1), constraints=constraints)
        return found.fun + W[first, second].sum()

    return solve


if __name__ == "__main__":
    main()
