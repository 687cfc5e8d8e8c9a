"""The two measures of output noise, where a clean reference exists."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.metrics import inconsistency, tau_gap
from rankwise.rankings import check_rankings
from rankwise.theory._condition import Condition, Verdict, interval
from rankwise.theory._observations import check_lengths
from rankwise.theory._parameters import check_random_state

_DRAWS = 400


def check_clean(Y_clean: Any, Y_observed: Any) -> None:
    """Refuse clean rankings that are not of the same rows and labels as the observed ones."""
    clean, observed = (check_rankings(Y, warn=False).shape for Y in (Y_clean, Y_observed))
    if clean != observed:
        raise ValueError(
            f"Y_clean has {clean[0]} rows and {clean[1]} labels, but the observed rankings have "
            f"{observed[0]} and {observed[1]}; give the same rows and labels, without noise"
        )
    check_lengths(clean[0], observed[0])


def noise_level(Y_clean: Any, Y_observed: Any, *, random_state: Any = 0) -> list[Condition]:
    """Estimate alpha and beta: how often, and how far, observed rankings leave the clean ones.

    Parameters
    ----------
    Y_clean, Y_observed : array-like of shape (n_samples, n_labels)
        Ranks without and with noise.
    random_state : int, Generator or None
        For the bootstrap over rows.

    Returns
    -------
    list of two Condition
        Inconsistency alpha, the share of rows that differ, and the tau gap beta, the mean Kendall
        tau. They are levels, not requirements: the verdict is "holds" where noise does not reverse
        the rankings on average (beta surely above 0).

    Examples
    --------
    >>> clean = np.tile([1, 2, 3], (100, 1))
    >>> observed = clean.copy()
    >>> observed[:25] = [2, 1, 3]
    >>> alpha, beta = noise_level(clean, observed)
    >>> alpha.estimate, round(beta.estimate, 3)
    (0.25, 0.833)
    """
    check_clean(Y_clean, Y_observed)
    rng = check_random_state(random_state)
    differs = np.asarray(inconsistency(Y_clean, Y_observed, average=False), dtype=np.float64)
    taus = np.asarray(tau_gap(Y_clean, Y_observed, average=False), dtype=np.float64)
    known = np.isfinite(differs) & np.isfinite(taus)
    if not known.any():
        raise ValueError("no row has two labels in order, both clean and observed")
    differs, taus = differs[known], taus[known]
    drawn = rng.integers(0, len(taus), (_DRAWS, len(taus)))
    of_alpha = interval(differs[drawn].mean(axis=1))
    of_beta = interval(taus[drawn].mean(axis=1))
    alpha, beta = float(differs.mean()), float(taus.mean())
    low, high = of_beta
    verdict: Verdict = "holds" if low > 0 else "fails" if high < 0 else "cannot tell"
    often = f"{alpha:.0%} of the rankings differ from the clean ones"
    far = f"their mean Kendall tau with the clean ones is {beta:.3g}"
    return [
        Condition("inconsistency", "alpha", alpha, *of_alpha, verdict, often),
        Condition("tau gap", "beta", beta, *of_beta, verdict, far),
    ]
