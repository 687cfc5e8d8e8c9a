"""How noisy observed rankings are: the paper's alpha and beta, and how often errors repeat."""

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


def repeated_errors(Y_clean: Any, Y_observed: Any) -> float:
    """Chance that two wrong rankings that come from the same clean one are the same.

    The paper's text on noise operators explains by "the frequency of the repetitive errors, i.e.,
    the frequency of the same erroneous noisy output ranking that arises from the noiseless output
    ranking" why noise of equal alpha harms more or less. It gives no formula; this one does not
    depend on how many rows share a clean ranking.

    Parameters
    ----------
    Y_clean, Y_observed : array-like of shape (n_samples, n_labels)
        Ranks without and with noise. Rows are wrong where `inconsistency` counts them.

    Returns
    -------
    float
        Over all pairs of wrong rows with one clean ranking, the share with one observed ranking, a
        clean ranking weighing as much as it has wrong rows; NaN where no two rows can be compared.

    Examples
    --------
    Three of four rows are wrong, two of them in the same way:

    >>> repeated_errors([[1, 2, 3]] * 4, [[1, 2, 3], [2, 1, 3], [2, 1, 3], [3, 2, 1]])
    0.3333333333333333
    """
    clean, observed = _check_noise(Y_clean, Y_observed)
    counted, concordant, _ = pair_counts(clean, observed)
    # a row without a pair to compare is neither right nor wrong
    wrong = (counted > 0) & (concordant < counted)
    _, source = np.unique(clean[wrong], axis=0, return_inverse=True)
    both = np.concatenate([source.reshape(-1, 1), observed[wrong]], axis=1)
    kinds, times = np.unique(both, axis=0, return_counts=True)
    of_source = np.bincount(source.ravel())
    others = of_source[kinds[:, 0].astype(np.int64)] - 1
    known = others > 0
    if not known.any():
        return float("nan")
    # times * (times - 1) ordered pairs agree; each of the wrong rows is paired with all others
    agree = times[known] * (times[known] - 1) / others[known]
    return float(agree.sum() / of_source[of_source > 1].sum())


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
