"""Mechanisms that leave labels out: incomplete rankings, at random or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import ndtri

from rankwise._arguments import check_arguments
from rankwise._parameters import check_flag, check_integer, check_number, check_numbers, check_size
from rankwise.oracles._checks import check_matrices, check_probabilities, probabilities_of_rows
from rankwise.oracles._positions import by_position
from rankwise.rankings import ranks_from_scores


@runtime_checkable
class Mechanism(Protocol):
    """What an oracle needs of its mechanism M: hide a part of each complete ranking."""

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return what is seen of `ranks`: NaN = not observed, equal = tied."""
        ...


@check_arguments
@dataclass(frozen=True, eq=False)
class Survival:
    """Each label is observed with probability q, by a coin of its own.

    Parameters
    ----------
    q : float, array of shape (n_labels,), or function
        Survival probability; a function gets X (float64) and returns shape (n_samples, n_labels).
    dependence : float in [0, 1], default 0
        Correlation of the hidden Gaussian values behind the coins of one row. 0: independent
        coins; 1: with equal q, all labels of a row survive or none. The chance of each single
        label stays q whatever the dependence.
    keep_positions : bool, default False
        True gives the star-keeping variant: observed positions are the true positions, with gaps.
        By default survivors are ranked anew from 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ranks = np.array([[3.0, 1.0, 2.0]])
    >>> Survival([1, 0, 1]).observe(np.zeros((1, 0)), ranks, rng)
    array([[ 2., nan,  1.]])
    >>> Survival([1, 0, 1], keep_positions=True).observe(np.zeros((1, 0)), ranks, rng)
    array([[ 3., nan,  2.]])
    """

    q: Any
    dependence: float = 0.0
    keep_positions: bool = False

    def __post_init__(self) -> None:
        check_number("dependence", self.dependence, high=1.0)
        check_flag("keep_positions", self.keep_positions)
        if not callable(self.q):
            check_probabilities(self.q, "q", None)

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Hide the labels whose coins fall wrong."""
        check_matrices(X=X, ranks=ranks)
        q = probabilities_of_rows(self.q, X, "q", ranks.shape[1])
        if self.dependence == 0:
            alive = rng.random(ranks.shape) < q
        else:
            shared = rng.standard_normal((len(ranks), 1)) * np.sqrt(self.dependence)
            own = rng.standard_normal(ranks.shape) * np.sqrt(1 - self.dependence)
            alive = shared + own < ndtri(q)
        return _hide(ranks, alive, self.keep_positions)

    def probabilities(self, X: np.ndarray, n_labels: int) -> np.ndarray:
        """Return q(x) for each row of X, shape (n_samples, n_labels).

        Examples
        --------
        >>> Survival(0.5).probabilities(np.zeros((1, 0)), 3)
        array([[0.5, 0.5, 0.5]])
        """
        check_matrices(X=X)
        check_size("n_labels", n_labels, 1, bytes_each=8.0 * max(1, len(X)))
        return probabilities_of_rows(self.q, X, "q", n_labels)


@check_arguments
@dataclass(frozen=True)
class RandomSubset:
    """Each row shows `size` labels, all subsets of that size being equally likely.

    Parameters
    ----------
    size : int
        How many labels a row shows, from 1 to the number of labels.
    keep_positions : bool, default False
        As in `Survival`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Y = RandomSubset(2).observe(np.zeros((1, 0)), np.array([[3.0, 1.0, 2.0]]), rng)
    >>> int(np.isfinite(Y).sum())
    2
    """

    size: int
    keep_positions: bool = False

    def __post_init__(self) -> None:
        check_integer("size", self.size, 1)
        check_flag("keep_positions", self.keep_positions)

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Hide all labels but a random subset."""
        check_matrices(X=X, ranks=ranks)
        if self.size > ranks.shape[1]:
            raise ValueError(f"size is {self.size}; there are only {ranks.shape[1]} labels")
        keys = rng.random(ranks.shape)
        limit = np.partition(keys, self.size - 1, axis=1)[:, self.size - 1 : self.size]
        return _hide(ranks, keys <= limit, self.keep_positions)


@check_arguments
@dataclass(frozen=True, eq=False)
class MissingByRank:
    """Missing not at random: the label at position p is observed with probability q[p - 1].

    `MissingByRank([1, 0, 0])` shows the first label alone; a decreasing q makes the labels at the
    bottom likely to be missing, which biases every learner that takes gaps as accidents.

    Parameters
    ----------
    q : array of shape (n_labels,), or function
        Survival probability by position; a function gets X and returns (n_samples, n_labels).
    keep_positions : bool, default False
        As in `Survival`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> MissingByRank([1, 1, 0]).observe(np.zeros((1, 0)), np.array([[3.0, 1.0, 2.0]]), rng)
    array([[nan,  1.,  2.]])
    """

    q: Any
    keep_positions: bool = False

    def __post_init__(self) -> None:
        check_flag("keep_positions", self.keep_positions)
        if not callable(self.q):
            if check_numbers("q", self.q).ndim != 1:
                raise ValueError(
                    "q must list one probability per position, the first position first; "
                    "for one probability for all labels use Survival"
                )
            check_probabilities(self.q, "q", None, what="position")

    def observe(self, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Hide labels with a chance that depends on where they stand."""
        check_matrices(X=X, ranks=ranks)
        q = probabilities_of_rows(self.q, X, "q", ranks.shape[1], what="position")
        # A label that is missing already draws a coin as well, and stays missing.
        alive = rng.random(ranks.shape) < by_position(q, ranks)
        return _hide(ranks, alive, self.keep_positions)


def _hide(ranks: np.ndarray, alive: np.ndarray, keep_positions: bool) -> np.ndarray:
    seen = np.where(alive, ranks, np.nan)
    return seen if keep_positions else ranks_from_scores(seen, higher_is_better=False)
