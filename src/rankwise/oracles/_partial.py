"""Mechanisms that tie labels: partial rankings through increasing partitions, and top-k lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import check_choice, check_integer, is_dict
from rankwise.oracles._checks import check_matrices, check_probabilities, probabilities_of_rows
from rankwise.oracles._positions import by_position, positions


@check_arguments
@dataclass(frozen=True, eq=False)
class Partition:
    """Partial rankings: the positions 1..k are cut into intervals, and labels of one are tied.

    Parameters
    ----------
    p : float, array of shape (n_labels - 1,), function, or mapping
        Probability of a cut between two neighbouring positions, independently for each place;
        1 keeps the ranking complete, 0 ties all labels. A function gets X (float64) and returns
        shape (n_samples, n_labels - 1). A mapping gives any distribution over partitions: the
        sizes of the intervals, first positions first, to their probability, such as
        ``{(2, 1, 2): 0.4, (1, 4): 0.6}``.

    Examples
    --------
    The paper's example: e > b > d > a > c under the partition [1, 2][3][4, 5].

    >>> ranks = np.array([[4.0, 2.0, 5.0, 3.0, 1.0]])
    >>> Partition({(2, 1, 2): 1.0}).observe(np.zeros((1, 0)), ranks, np.random.default_rng(0))
    array([[3., 1., 3., 2., 1.]])
    """

    p: Any

    def __post_init__(self) -> None:
        if is_dict(self.p):
            _check_mapping(self.p)
        elif not callable(self.p):
            check_probabilities(self.p, "p", None, what="cut")

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Tie the labels of each interval."""
        check_matrices(X=X, ranks=ranks)
        cuts = self._cuts(X, ranks.shape[1], rng)
        block = np.ones(ranks.shape)
        np.cumsum(cuts, axis=1, out=block[:, 1:])
        block[:, 1:] += 1
        return by_position(block, ranks)

    def _cuts(self, X: np.ndarray, n_labels: int, rng: np.random.Generator) -> np.ndarray:
        """Draw, per row, whether there is a cut after position 1, 2, .., k - 1."""
        if is_dict(self.p):
            return _draw_partitions(self.p, len(X), n_labels, rng)
        chance = probabilities_of_rows(self.p, X, "p", n_labels - 1, what="cut")
        return rng.random(chance.shape) < chance


@check_arguments
@dataclass(frozen=True)
class TopK:
    """Only the first `k` labels are ordered; the rest is tied at the bottom.

    Parameters
    ----------
    k : int
        How many positions stay apart.
    rest : {"tied", "missing"}, default "tied"
        What becomes of the labels after position k.

    Examples
    --------
    >>> ranks = np.array([[4.0, 2.0, 3.0, 1.0]])
    >>> TopK(2).observe(np.zeros((1, 0)), ranks, np.random.default_rng(0))
    array([[3., 2., 3., 1.]])
    """

    k: int
    rest: str = "tied"

    def __post_init__(self) -> None:
        check_integer("k", self.k, 1)
        check_choice("rest", self.rest, ("tied", "missing"))

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Keep the first k labels apart."""
        check_matrices(X=X, ranks=ranks)
        if self.k > ranks.shape[1]:
            raise ValueError(f"k is {self.k}; there are only {ranks.shape[1]} labels")
        bottom = self.k + 1 if self.rest == "tied" else np.nan
        # Missing labels compare false and keep their NaN.
        return np.where(positions(ranks) > self.k, bottom, ranks)


def _check_mapping(p: Mapping[Any, Any]) -> None:
    if not p:
        raise ValueError("p is an empty mapping; give at least one partition")
    for sizes in p:
        if not isinstance(sizes, tuple) or not sizes:
            raise TypeError(f"p: partition {sizes!r} must be a tuple of interval sizes")
        for size in sizes:
            check_integer(f"p: partition {sizes}: an interval's size", size, 1)
    totals = {sum(sizes) for sizes in p}
    if len(totals) > 1:
        raise ValueError(
            f"p: partitions cover {sorted(totals)} positions; all must sum to n_labels"
        )
    chances = check_probabilities(list(p.values()), "p", (len(p),), what="partition")
    if abs(chances.sum() - 1) > 1e-9:
        raise ValueError(f"p: the probabilities sum to {chances.sum():g}; they must sum to 1")


def _draw_partitions(
    p: Mapping[Any, Any], n_samples: int, n_labels: int, rng: np.random.Generator
) -> np.ndarray:
    total = sum(next(iter(p)))
    if total != n_labels:
        raise ValueError(f"p: partitions cover {total} positions but there are {n_labels} labels")
    table = np.zeros((len(p), n_labels - 1), dtype=bool)
    for row, sizes in zip(table, p, strict=True):
        row[np.cumsum(sizes)[:-1] - 1] = True
    limits = np.cumsum(list(p.values()))
    # The last limit may be a rounding below 1.
    drawn = np.searchsorted(limits[:-1], rng.random(n_samples), side="right")
    return table[drawn]
