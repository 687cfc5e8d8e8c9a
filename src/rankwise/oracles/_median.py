"""The median h*: Copeland on p_ij, exact under strict stochastic transitivity."""

from __future__ import annotations

import warnings

import numpy as np

from rankwise._messages import warn_caller
from rankwise._parameters import check_choice
from rankwise.consensus import copeland_batch
from rankwise.rankings import RankingWarning

# Closer to 1/2 than this is a tie: the closed forms are exact to about 1e-13.
_TIE = 1e-12


def median_ranks(p: np.ndarray, error: np.ndarray, *, on_violation: str = "raise") -> np.ndarray:
    """Return h*(x; i) = 1 + #{j : p_ij(x) < 1/2} per row, checking that it is the median.

    `p` (n, k, k) is P(row label before column label), `error` its standard error: a warning names the
    first row where it leaves the majority open. `on_violation` says what to do where p_ij = 1/2 or
    majorities form a cycle, so that no unique median exists.

    Examples
    --------
    >>> p = np.array([[[0.5, 0.8], [0.2, 0.5]]])
    >>> median_ranks(p, np.zeros_like(p))
    array([[1., 2.]])
    """
    check_choice("on_violation", on_violation, ("raise", "warn", "ignore"))
    ranks = np.asarray(copeland_batch(p), dtype=np.float64)
    if on_violation == "ignore":
        return ranks
    _warn_of_open_majorities(p, error)
    # A tournament without ties is transitive exactly when its scores are all different.
    broken = (np.sort(ranks, axis=1) != np.arange(1, p.shape[1] + 1)).any(axis=1)
    if broken.any():
        row = int(np.argmax(broken))
        message = (
            f"row {row}: {_violation(p[row])}; strict stochastic transitivity fails in "
            f"{int(broken.sum())} of {len(p)} rows, where the median ranking is not unique"
        )
        if on_violation == "raise":
            raise ValueError(f"{message} (on_violation='warn' gives the Copeland ranks anyway)")
        warnings.warn(f"{message}; Copeland ranks are returned", RankingWarning, stacklevel=3)
    return ranks


def _violation(p: np.ndarray) -> str:
    """Spell the tie or the cycle of three that breaks transitivity in one row."""
    tied = np.argwhere(np.triu(np.abs(p - 0.5) <= _TIE, 1))
    if len(tied):
        return f"labels {tied[0, 0]} and {tied[0, 1]} beat each other with probability 1/2"
    beats = p > 0.5
    # Every tournament with a cycle has one of length three.
    for a, b in np.argwhere(beats):
        third = np.flatnonzero(beats[b] & beats[:, a])
        if len(third):
            c = third[0]
            return f"label {a} beats {b}, {b} beats {c} and {c} beats {a}"
    return "majorities are not transitive"


def _warn_of_open_majorities(p: np.ndarray, error: np.ndarray) -> None:
    unsure = np.triu(np.abs(p - 0.5) < 3 * error, 1)
    if not unsure.any():
        return
    row, first, second = (int(axis[0]) for axis in np.nonzero(unsure))
    warn_caller(
        f"{int(unsure.any(axis=(1, 2)).sum())} of {len(p)} rows have a majority within three "
        f"standard errors of 1/2 (first: row {row}, labels {first} and {second}); their median "
        "may be wrong, raise n_draws",
        RankingWarning,
    )
