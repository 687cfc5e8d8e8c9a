"""What share of the trees each kind gets, tried on rows left out.

A few trees of every kind grow on a part of the rows and are asked about the others. The shares are those
whose mixture comes nearest to what these say, by least squares: the mean of kinds that differ is mostly
better than the best of them, and squared errors tell kinds apart with fewer rows and trees than
measures of rankings do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rankwise.forest._least_squares import shares_of_least_cost
from rankwise.ranker import pairwise_by_position

# Rows of a trial. Some of the parts that they are cut into are left out in turn, by the number of trees
# that will grow: a trial of ten trees or more grows fewer than the forest.
MOST_ROWS = 20_000
N_PARTS = 4
TREES_TO_A_PART = 10

# Trees of each kind that a part is asked of, by the number of trees that will grow; two tell how far trees
# of a kind differ.
FEWEST_TREES, MOST_TREES = 2, 3
TREES_TO_ONE = 32

# A squared difference from equal shares costs so much, over the number of rows that were asked: by few
# rows kinds can hardly be told apart. Squared errors of comparisons are from 0 to 4.
SHRINKAGE = 10.0

# A kind has so large a share and so many trees, or none: rows are scored that trees of each kind left out.
LEAST_SHARE, LEAST_TREES = 0.1, 3


def parts_left_out(
    rows: np.ndarray, n_trees: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows to grow trees on, and rows left out, for each part that is left out."""
    rows = rng.permutation(rows)[:MOST_ROWS]
    part = np.arange(len(rows)) % N_PARTS
    for left_out in range(min(N_PARTS, max(1, n_trees // TREES_TO_A_PART))):
        yield np.sort(rows[part != left_out]), np.sort(rows[part == left_out])


class Squares:
    """Sums of products of the scores that kinds give to labels, with each other and with what was observed.

    The score of a label is how many of the labels observed beside it stand behind it, less those in
    front. Squares of scores see what those of single pairs do not: the errors of a tree on all pairs
    add up, where those of a tree for each pair mostly cancel. A kind with itself has the products of two
    trees that differ: they are those of many trees, without the noise that the mean of few has.
    """

    def __init__(self, n_kinds: int) -> None:
        self.square = np.zeros((n_kinds, n_kinds))
        self.line = np.zeros(n_kinds)
        self.n_rows, self.weight = 0, 0.0

    def add(
        self, said: Iterable[Iterable[np.ndarray]], ranks: np.ndarray, weights: np.ndarray
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        said : for each kind, for each of its trees, ndarray of shape (n, k, k)
            How far one label stands before another, from 0 to 1.
        ranks : ndarray of shape (n, k)
            What was observed of these rows.
        weights : ndarray of shape (n,)
            How much each row counts.
        """
        observed = (~np.isnan(ranks)).astype(float)
        n_labels = np.maximum(observed.sum(axis=1), 1)
        root = np.sqrt(weights / n_labels)[:, None]

        def scores(shares: np.ndarray) -> np.ndarray:
            beside = np.einsum("nij,nj->ni", 2.0 * shares - 1.0, observed)
            return root * observed * beside

        truth, means = scores(pairwise_by_position(np.nan_to_num(ranks))), []
        for kind, trees in enumerate(said):
            known = np.array([scores(tree) for tree in trees])
            total, n = known.sum(axis=0), len(known)
            self.square[kind, kind] += np.sum(total**2 - (known**2).sum(axis=0)) / (n * (n - 1))
            means.append(total / n)
        for kind, mean in enumerate(means):
            self.line[kind] += np.sum(mean * truth)
            for other in range(kind):
                product = np.sum(mean * means[other])
                self.square[kind, other] += product
                self.square[other, kind] += product
        self.n_rows += int((n_labels > 1).sum())
        self.weight += float(weights @ (n_labels - 1))

    def shares(self) -> np.ndarray | None:
        """The shares of the kinds, from 0 to 1; None if nothing was observed."""
        if not self.weight > 0:
            return None
        return shares_of_least_cost(
            self.square / self.weight, self.line / self.weight, SHRINKAGE / self.n_rows
        )


def trees_of_a_trial(n_trees: int) -> int:
    """How many trees of each kind a part is asked of, where so many will grow.

    Examples
    --------
    >>> trees_of_a_trial(10), trees_of_a_trial(100)
    (2, 3)
    """
    return min(MOST_TREES, max(FEWEST_TREES, n_trees // TREES_TO_ONE))


def numbers_of_trees(shares: np.ndarray, n_trees: int) -> np.ndarray:
    """Return how many of all trees each kind has; kinds of small shares have none.

    Examples
    --------
    >>> numbers_of_trees(np.array([0.55, 0.05, 0.4]), 10)
    array([6, 0, 4])
    """
    least = max(LEAST_SHARE, LEAST_TREES / n_trees)
    shares = np.where(shares < min(least, shares.max()), 0.0, shares)
    wanted = n_trees * shares / shares.sum()
    numbers = np.floor(wanted).astype(int)
    # those that are left, one for each of the kinds that lack most
    lacking = np.argsort(numbers - wanted, kind="stable")[: n_trees - numbers.sum()]
    numbers[lacking] += 1
    return numbers
