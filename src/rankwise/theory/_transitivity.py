"""Strict stochastic transitivity: do majorities ever run in a circle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rankwise.theory._condition import Condition, Verdict
from rankwise.theory._pair_shares import PairShares, pair_shares
from rankwise.theory._parameters import check_random_state

# The share of rows in circles up to which transitivity is taken to hold.
_DOUBT = 0.05
_SHOWN = 10
_DRAWS = 100


def transitivity(X: Any, Y: Any, *, random_state: Any = 0) -> Condition:
    """Estimate the share of rows whose majorities run in a circle (a before b before c before a).

    One half of the rows cuts the space into up to 64 regions in which positions differ, the other
    half counts there who stands before whom. A region surely violates strict stochastic
    transitivity where all three majorities of a circle are beyond chance. That no p_ij is exactly
    1/2 cannot be tested; how often pairs come close to it is what `tsybakov` estimates.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        Ranks; NaN = not observed, equal = tied.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is the share of rows in regions with a circle; the interval reaches from the
        share that surely violates to the upper end of a bootstrap of the counts. It fails where any
        region surely violates, and holds where that end is at most 5%. Details: the circles.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 3))
    >>> transitivity(X, np.where(X[:, [1]] == 1, [1, 2, 3], [3, 2, 1])).verdict
    'holds'
    """
    shares = pair_shares(X, Y, random_state)
    k = len(shares.labels)
    lead = shares.wins - shares.wins.transpose(0, 2, 1)
    with np.errstate(invalid="ignore"):
        z = np.where(shares.total > 0, lead / np.sqrt(shares.total), 0.0)
    limit = float(ndtri(1 - 0.025 / (len(z) * k * (k - 1) / 2)))
    sure = [_circle(region > limit) for region in z]
    weight = shares.rows / shares.rows.sum()
    low = float(weight[[circle is not None for circle in sure]].sum())
    estimate = _share(lead, weight)
    high = max(estimate, float(np.quantile(_resampled(shares, weight, random_state), 0.975)))
    # Pairs that a region never compares may stand either way.
    unseen = ((shares.total == 0) & ~np.eye(k, dtype=bool)).any(axis=(1, 2))
    high = min(1.0, high + float(weight[unseen].sum()))
    circles = _texts(shares, sure)
    verdict: Verdict = "fails" if circles else "holds" if high <= _DOUBT else "cannot tell"
    text = f"no sure circle, but up to {high:.0%} of the rows may have one"
    if circles:
        text = f"majorities run in a circle: {circles[0]}"
    elif verdict == "holds":
        text = f"no circle in {len(z)} regions of the features"
    details = {"circles": circles[:_SHOWN], "regions": len(z)}
    return Condition("transitivity", "share", estimate, low, high, verdict, text, details)


def _share(lead: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float(weight[[_circle(region > 0) is not None for region in lead]].sum())


def _resampled(shares: PairShares, weight: NDArray[np.float64], random_state: Any) -> list[float]:
    """Draw the counts of every pair and region anew, and see how many rows are in circles."""
    rng = check_random_state(random_state)
    i, j = np.triu_indices(len(shares.labels), 1)
    total = shares.total[:, i, j]
    # Half a win for either side (Jeffreys): few comparisons, all one way, are no certainty.
    p = (shares.wins[:, i, j] + 0.5) / (total + 1)
    lead = np.zeros_like(shares.wins)
    drawn = []
    for _ in range(_DRAWS):
        lead[:, i, j] = 2 * rng.binomial(total.astype(np.int64), p) - total
        lead[:, j, i] = -lead[:, i, j]
        drawn.append(_share(lead, weight))
    return drawn


def _circle(beats: NDArray[np.bool_]) -> tuple[int, int, int] | None:
    """Find three labels that beat each other in turn."""
    steps = beats.astype(np.float32)
    back = (steps @ steps > 0) & beats.T
    if not back.any():
        return None
    i, u = (int(at[0]) for at in np.nonzero(back))
    j = int(np.flatnonzero(beats[i] & beats[:, u])[0])
    return i, j, u


def _texts(shares: PairShares, circles: list[tuple[int, int, int] | None]) -> list[str]:
    texts = []
    for region in np.argsort(-shares.rows, kind="stable"):
        if circle := circles[region]:
            names = [shares.labels[label] for label in (*circle, circle[0])]
            texts.append(f"{' before '.join(names)} {shares.texts[region]}")
    return texts
