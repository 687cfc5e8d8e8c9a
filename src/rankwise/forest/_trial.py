"""What share of the trees each kind gets, tried on rows left out.

A few trees of every kind grow on a part of the rows and are asked about the others. The shares are those
whose mixture comes nearest to the comparisons of these, by least squares: the mean of kinds that differ
is mostly better than the best of them, and squared errors tell kinds apart with fewer rows and trees
than measures of rankings do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rankwise.forest._least_squares import shares_of_least_cost

# Rows of a trial. Some of the parts that they are cut into are left out in turn, by the number of trees
# that will grow: a trial grows fewer trees than the forest.
MOST_ROWS = 20_000
N_PARTS = 4
TREES_TO_A_PART = 12

# Trees of each kind that a part is asked of: as few as tell how far trees of a kind differ.
FEW_TREES = 2

# A squared difference from equal shares costs so much, over the number of rows that were asked: by few
# rows kinds can hardly be told apart. Squared errors of comparisons are from 0 to 4.
SHRINKAGE = 10.0

# Of a hundred trees a kind has so many, or none: rows are scored that trees of each kind left out.
LEAST_PERCENT = 10


def parts_left_out(
    rows: np.ndarray, n_trees: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows to grow trees on, and rows left out, for each part that is left out."""
    rows = rng.permutation(rows)[:MOST_ROWS]
    part = np.arange(len(rows)) % N_PARTS
    for left_out in range(min(N_PARTS, max(1, n_trees // TREES_TO_A_PART))):
        yield np.sort(rows[part != left_out]), np.sort(rows[part == left_out])


def outcomes_of(ranks: np.ndarray) -> np.ndarray:
    """Return 1 where the first label of a pair stands before the second, -1 where behind, 0 if tied.

    Examples
    --------
    >>> outcomes_of(np.array([[2.0, 1.0, np.nan]]))
    array([[-1., nan, nan]])
    """
    first, second = np.triu_indices(ranks.shape[1], k=1)
    outcomes: np.ndarray = np.sign(ranks[:, second] - ranks[:, first])
    return outcomes


class Squares:
    """Sums of products of what kinds say of comparisons, with each other and with what was observed.

    Those of a kind with itself are of two trees that differ: of few trees as of many, without the
    noise that the mean of few has beyond that of many.
    """

    def __init__(self, n_kinds: int) -> None:
        self.square = np.zeros((n_kinds, n_kinds))
        self.line = np.zeros(n_kinds)
        self.n_rows, self.weight = 0, 0.0

    def add(
        self, said: Iterable[Iterable[np.ndarray]], truth: np.ndarray, weights: np.ndarray
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        said : for each kind, for each of its trees, ndarray of shape (n, p)
            The outcome of each comparison, from -1 to 1.
        truth : ndarray of shape (n, p)
            1, -1, 0 for a tie, and NaN where it was not observed.
        weights : ndarray of shape (n,)
            How much each row counts.
        """
        observed = ~np.isnan(truth)
        true = truth[observed]
        weight = np.broadcast_to(weights[:, None], truth.shape)[observed]
        means = []
        for kind, trees in enumerate(said):
            known = np.array([tree[observed] for tree in trees])
            total, n = known.sum(axis=0), len(known)
            own = total**2 - (known**2).sum(axis=0)
            self.square[kind, kind] += weight @ own / (n * (n - 1))
            means.append(total / n)
        for kind, mean in enumerate(means):
            self.line[kind] += weight @ (mean * true)
            for other in range(kind):
                product = weight @ (mean * means[other])
                self.square[kind, other] += product
                self.square[other, kind] += product
        self.n_rows += int(observed.any(axis=1).sum())
        self.weight += float(weight.sum())

    def shares(self) -> np.ndarray | None:
        """The shares of the kinds, from 0 to 1; None if nothing was observed."""
        if not self.weight > 0:
            return None
        return shares_of_least_cost(
            self.square / self.weight, self.line / self.weight, SHRINKAGE / self.n_rows
        )


def numbers_of_trees(shares: np.ndarray, n_trees: int) -> np.ndarray:
    """Return how many of all trees each kind has; kinds of small shares have none.

    Examples
    --------
    >>> numbers_of_trees(np.array([0.55, 0.05, 0.4]), 10)
    array([6, 0, 4])
    """
    shares = np.where(100 * shares < LEAST_PERCENT, 0.0, shares)
    wanted = n_trees * shares / shares.sum()
    numbers = np.floor(wanted).astype(int)
    # those that are left, one for each of the kinds that lack most
    lacking = np.argsort(numbers - wanted, kind="stable")[: n_trees - numbers.sum()]
    numbers[lacking] += 1
    return numbers
