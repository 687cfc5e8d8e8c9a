"""Positions as ordinal classes: for each of them, whether a label stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.classifiers import raise_naming, seeded_copies, take_rows

Floats = NDArray[np.float64]


def probabilities_behind(places: NDArray[np.int64]) -> Floats:
    """Return (n, k, k - 1): how probably a label is behind position r + 1; NaN if not observed.

    A label at place s of m observed ones, out of k, stands at position r with probability
    C(r - 1, s - 1) C(k - r, m - s) / C(k, m), if every set of m labels is as likely to be observed.

    Parameters
    ----------
    places : ndarray of shape (n, k)
        Places among the observed labels of the row, 1 = first, 0 = not observed.

    Examples
    --------
    Of three labels, the first of two observed ones is first with probability 2/3, else second:

    >>> probabilities_behind(np.array([[1, 2, 0]])).round(2)
    array([[[0.33, 0.  ],
            [1.  , 0.67],
            [ nan,  nan]]])
    """
    k = places.shape[1]
    n_observed = np.broadcast_to((places > 0).sum(axis=1, keepdims=True), places.shape)
    seen, which = np.unique(
        np.stack([n_observed.ravel(), places.ravel()], axis=1), axis=0, return_inverse=True
    )
    table = np.array([_behind_each(int(s), int(m), k) for m, s in seen])
    return table[which.ravel()].reshape(*places.shape, k - 1)


def _behind_each(place: int, n_observed: int, k: int) -> list[float]:
    if place == 0:
        return [float("nan")] * (k - 1)
    at = [comb(r - 1, place - 1) * comb(k - r, n_observed - place) for r in range(1, k + 1)]
    # whole numbers until the end, so that 0 and 1 are exact
    behind = list(accumulate(reversed(at)))[-2::-1]
    return [count / comb(k, n_observed) for count in behind]


def fit_threshold(
    estimator: Any,
    X: Any,
    behind: Floats,
    weights: Floats | None,
    keywords: Sequence[str],
    *,
    seed: int,
    where: str,
) -> Any:
    """Fit a clone to the probability of one label behind one position, or return it if it is constant.

    With `keywords`, by which the classifier takes weights, a probability between 0 and 1 counts as one
    row of each class, weighted by it.
    """
    rows = np.flatnonzero(~np.isnan(behind))
    target = behind[rows]
    if (target == target[0]).all():
        return float(target[0])
    model = seeded_copies(estimator)(seed)
    try:
        if not keywords:
            return model.fit(X, target.astype(np.int64))
        of_row = np.ones(len(rows)) if weights is None else weights[rows]
        yes, no = target > 0, target < 1
        both = np.concatenate([(of_row * target)[yes], (of_row * (1 - target))[no]])
        return model.fit(
            take_rows(X, np.concatenate([rows[yes], rows[no]])),
            np.repeat([1, 0], [yes.sum(), no.sum()]),
            **dict.fromkeys(keywords, both),
        )
    except Exception as error:
        return raise_naming(error, f"fitting {where}", estimator)
