"""How noisy observed rankings are: alpha and beta of the paper's "Output Inconsistency"."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, check_pair
from rankwise.metrics._pairs import all_concordant, pair_counts


def inconsistency(
    Y_clean: Any, Y_observed: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Fraction of rows in which noise changed the ranking (the paper's alpha).

    Parameters
    ----------
    Y_clean, Y_observed : array-like of shape (n_samples, n_labels)
        Ranks without and with noise. Only pairs count that are strictly ordered in `Y_clean` and
        observed in both; one that `Y_observed` ties has changed.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> inconsistency([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [2, 1, 3]])
    0.5
    """
    counted, concordant, _ = pair_counts(*_check_noise(Y_clean, Y_observed))
    return average_rows(1 - all_concordant(counted, concordant), average, sample_weight)


def tau_gap(
    Y_clean: Any, Y_observed: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Mean Kendall tau of clean and observed rankings (the paper's beta): 1 without noise.

    Parameters
    ----------
    Y_clean, Y_observed : array-like of shape (n_samples, n_labels)
        Ranks without and with noise, read as in `inconsistency`.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> tau_gap([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [3, 2, 1]])
    0.0
    """
    counted, concordant, discordant = pair_counts(*_check_noise(Y_clean, Y_observed))
    return average_rows((concordant - discordant) / counted, average, sample_weight)


def _check_noise(Y_clean: Any, Y_observed: Any) -> tuple[Matrix, Matrix]:
    """Return both, with the labels that are missing in the observed left out of the clean."""
    clean, observed = check_pair(
        Y_clean, Y_observed, names=("Y_clean", "Y_observed"), covered=False
    )
    missing = np.isnan(observed)
    if missing.any():
        clean = np.where(missing, np.nan, clean)
        clean.flags.writeable = False
    return clean, observed
