"""How sure a prediction is, learned from rows that the model has not seen.

Shares of trees are too sure of themselves, above all with leaves of one row. Two numbers, fitted to
held-out rows by maximum likelihood, put that right:

* a slope: the chance that i stands before j is ``sigmoid(slope * logit(p))``, which keeps 1/2 at
  1/2 and gives the mirrored pair the rest. It is fitted to all held-out pairs.
* a power: the chance that the first label is first of all is ``(1 / (1 + odds)) ** power``, never above
  the smallest of its chances; the odds of each other label against it are added up, as Luce's rule of
  choice has it (power 1). What was fitted among the few labels that a row observes then holds among all,
  which a power of the product of chances does not.

After n held-out comparisons no chance is given above (n + 1) / (n + 2), the rule of succession: what
never failed in 24 of them is no certainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# A share of 0 or 1 is moved by this much: a hundred trees are no finer.
_LEAST = 0.01
# Where fewer held-out comparisons there are, nothing is fitted.
_LEAST_PAIRS = 20
# Means of votes may be far less sure than they could be.
_RANGE = (0.02, 20.0)
# What a handful of rows falls back on, and how firmly: (centre, spread of the logarithm). Many pairs make
# a slope, but only one event per row makes a power; 0.9 was best on made-up problems.
_SLOPE, _POWER = (1.0, 1.0), (0.9, 0.35)


@dataclass(frozen=True)
class Certainty:
    """The two numbers, and how many held-out comparisons and rows they were fitted to.

    Parameters
    ----------
    slope : float
        For pairs: ``sigmoid(slope * logit(share))``; below 1 the shares were too sure.
    power : float
        For the first of all: ``(1 / (1 + odds against it)) ** power``.
    n_pairs, n_rows : int
        How many held-out comparisons and rows these were fitted to; with 0 shares stay as they are.

    Examples
    --------
    >>> shares = np.array([[[0.5, 0.9], [0.1, 0.5]]])
    >>> Certainty(slope=0.5, n_pairs=40, n_rows=40).pairwise(shares).round(3)
    array([[[0.5  , 0.742],
            [0.258, 0.5  ]]])
    """

    slope: float = 1.0
    power: float = 1.0
    n_pairs: int = 0
    n_rows: int = 0

    @property
    def is_fitted(self) -> bool:
        """Whether there were enough held-out comparisons."""
        return self.n_pairs > 0

    def pairwise(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chances that one label stands before another, from a ranker's `predict_pairwise`.

        Parameters
        ----------
        shares : ndarray of shape (n_samples, n_labels, n_labels)
            As `predict_pairwise` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
        """
        if not self.is_fitted:
            return shares
        most = (self.n_pairs + 1) / (self.n_pairs + 2)
        # shares that are chances already stay as they are
        chances = shares if self.slope == 1 else 1 / (1 + np.exp(-self.slope * _logit(shares)))
        return np.asarray(np.clip(chances, 1 - most, most))

    def of_order(
        self, shares: NDArray[np.float64], ranks: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Chances that the first label stands before the second, and before all others.

        Parameters
        ----------
        shares : ndarray of shape (n_samples, n_labels, n_labels)
            As `predict_pairwise` gives them.
        ranks : ndarray of shape (n_samples, n_labels)
            As `predict` gives them.

        Returns
        -------
        first_before_second, first_of_all : ndarray of shape (n_samples,)
        """
        chances = self.pairwise(shares)
        order = np.argsort(ranks, axis=1, kind="stable")
        rows = np.arange(len(ranks))
        duels = chances[rows, order[:, 0]]
        others = np.arange(ranks.shape[1]) != order[:, :1]
        return duels[rows, order[:, 1]], _first_of(duels, others, self.power)

    def _check_state(self) -> None:
        for number in (self.slope, self.power):
            if type(number) is not float or not 0 < number < 100:
                raise ValueError(f"its certainty has the number {str(number)[:40]}")
        if not all(type(n) is int and n >= 0 for n in (self.n_pairs, self.n_rows)):
            raise ValueError("its certainty was fitted to no number of rows")


def fit_certainty(
    shares: NDArray[np.float64], ranks: NDArray[np.int64], Y: NDArray[np.float64]
) -> Certainty:
    """Fit the two numbers to held-out predictions (shares, ranks) and what was observed there.

    Only pairs that a row observes and strictly orders count; the first label is judged among the
    labels observed in its row.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_labels, n_labels)
        What `predict_pairwise` gave for rows that the ranker was not fitted to.
    ranks : ndarray of shape (n_samples, n_labels)
        What `predict` gave for them.
    Y : ndarray of shape (n_samples, n_labels)
        Their true ranks; NaN = not observed, equal = tied.

    Returns
    -------
    Certainty
        Without effect where fewer than 20 comparisons were held out.

    Examples
    --------
    Votes of 90 % came true in half of the rows only; 40 rows lower them most of the way:

    >>> shares = np.tile([[0.5, 0.9], [0.1, 0.5]], (40, 1, 1))
    >>> ranks = np.tile([1, 2], (40, 1))
    >>> Y = np.tile([[1.0, 2.0], [2.0, 1.0]], (20, 1))
    >>> fit_certainty(shares, ranks, Y).pairwise(shares)[0, 0].round(2)
    array([0.5, 0.6])
    """
    i, j = np.triu_indices(Y.shape[1], k=1)
    difference = Y[:, j] - Y[:, i]
    known = np.isfinite(difference) & (difference != 0)
    if known.sum() < _LEAST_PAIRS:
        return Certainty()
    signed = np.where(difference > 0, 1.0, -1.0)[known] * _logit(shares[:, i, j])[known]

    def slope_loss(log_slope: float) -> float:
        return float(np.logaddexp(0, -np.exp(log_slope) * signed).sum())

    slope = _least(slope_loss, *_SLOPE)
    n_pairs, n_rows = int(known.sum()), int(known.any(axis=1).sum())
    chances = Certainty(slope, 1.0, n_pairs, n_rows).pairwise(shares)
    return Certainty(slope, _fit_power(chances, ranks, Y), n_pairs, n_rows)


def _fit_power(
    chances: NDArray[np.float64], ranks: NDArray[np.int64], Y: NDArray[np.float64]
) -> float:
    rows, first = np.arange(len(Y)), np.argmin(ranks, axis=1)
    others = np.isfinite(Y)
    others[rows, first] = False
    best = np.where(others, Y, np.inf).min(axis=1)
    own = Y[rows, first]
    known = np.isfinite(own) & np.isfinite(best) & (own != best)
    if known.sum() < _LEAST_PAIRS:
        return 1.0
    duels, others = chances[rows, first][known], others[known]
    won = (own < best)[known]

    def loss(log_power: float) -> float:
        chance = np.clip(_first_of(duels, others, float(np.exp(log_power))), 1e-9, 1 - 1e-9)
        return float(-np.where(won, np.log(chance), np.log1p(-chance)).sum())

    return _least(loss, *_POWER)


def _least(loss: Callable[[float], float], centre: float, spread: float) -> float:
    def penalised(x: float) -> float:
        return loss(x) + 0.5 * float((x - np.log(centre)) / spread) ** 2

    from scipy.optimize import minimize_scalar  # slow to import, and needed at fitting alone

    found = minimize_scalar(penalised, bounds=tuple(np.log(_RANGE)), method="bounded")
    return float(np.exp(found.x))


def _first_of(
    duels: NDArray[np.float64], others: NDArray[np.bool_], power: float
) -> NDArray[np.float64]:
    """Chance of being first of those that count; never above the chance of the hardest duel."""
    won = np.where(others, np.maximum(duels, 1e-300), 1.0)
    odds = ((1 - won) / won).sum(axis=1)
    return np.asarray(np.minimum((1 + odds) ** -power, won.min(axis=1)))


def _logit(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = _LEAST + (1 - 2 * _LEAST) * shares
    return np.log(kept / (1 - kept))
