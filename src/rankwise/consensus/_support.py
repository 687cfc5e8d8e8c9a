"""What every rule stands on: how much support each label has before each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._cells import for_kernels, is_frame
from rankwise._messages import warn_caller
from rankwise._naming import name_some
from rankwise._parameters import check_flag, check_size, check_weights
from rankwise.consensus._kernels import count_support
from rankwise.rankings import RankingWarning, check_rankings, label_names

# Sums of supports up to this size stay finite for any number of rows and labels.
LARGEST = 1e200


def support_of_rankings(
    Y: Any, sample_weight: Any, *, ties_count: bool = False, warn: bool = True
) -> NDArray[np.float64]:
    """Return (k, k): the weight of the rows of `Y` that put the row label before the column label.

    With `ties_count` a row that ties two labels counts half for each.

    With `warn`, a `RankingWarning` names labels that are never compared.
    """
    ranks = for_kernels(check_rankings(Y))
    weights = check_weights(sample_weight, len(ranks), LARGEST)
    weights = np.ones(len(ranks)) if weights is None else for_kernels(weights)
    k = ranks.shape[1]
    check_size("the number of labels", k, 1, bytes_each=8 * k)
    support = np.zeros((k, k))
    check_flag("ties_count", ties_count)
    count_support(ranks, weights, 0.5 if ties_count else 0.0, support)
    if ties_count:
        np.fill_diagonal(support, 0.0)
    if warn:
        _warn_of_never_compared(support, label_names(Y))
    return support


def check_support(W: ArrayLike) -> NDArray[np.float64]:
    """Return a batch of supports as C-contiguous float64 (n, k, k), or say what is wrong."""
    remedy = "give real numbers, NaN for never compared"
    try:
        array = np.asarray(W)
        array = for_kernels(array) if array.dtype.kind in "biufO" else array
    except Exception as error:  # of whatever container this is
        raise TypeError(f"W is not a table of numbers ({error}); {remedy}") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"W holds values of type {array.dtype}; {remedy}")
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        raise ValueError("W is a single matrix; a batch of one problem is W[None]")
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise ValueError(
            f"W has shape {array.shape}; give (n_problems, n_labels, n_labels), W[r, i, j] the "
            "support for label i before label j in problem r"
        )
    if array.shape[1] < 2:
        raise ValueError(f"W has {array.shape[1]} labels; a ranking needs at least two")
    _check_cells(array)
    return array


def _check_cells(W: NDArray[np.float64]) -> None:
    # The common case needs no further memory; NaN fails both tests.
    if not W.size or (W.min() >= 0 and W.max() <= LARGEST):
        return
    diagonal = np.arange(W.shape[1])
    wrong = (W < 0) | (W > LARGEST)
    wrong[:, diagonal, diagonal] = False
    if wrong.any():
        r, i, j = np.argwhere(wrong)[0]
        remedy = "rescale W" if W[r, i, j] > 0 else "supports are counts, weights or shares, >= 0"
        raise ValueError(
            f"problem {r}: label {i} before label {j} has support {W[r, i, j]:g}; {remedy}"
        )
    missing = np.isnan(W)
    uneven = missing & ~missing.transpose(0, 2, 1)
    if uneven.any():
        r, i, j = np.argwhere(uneven)[0]
        raise ValueError(
            f"problem {r}: label {i} before label {j} is missing, but {j} before {i} is not; "
            "use NaN in both cells of a pair that was never compared"
        )


def _warn_of_never_compared(support: NDArray[np.float64], names: list[Any] | None) -> None:
    silent = np.flatnonzero((support + support.T).sum(axis=1) == 0)
    if not silent.size:
        return
    shown = name_some(int(j) if names is None else names[j] for j in silent)
    which, them = ("labels", "them") if silent.size > 1 else ("label", "it")
    warn_caller(
        f"{which} {shown}: never compared, as missing or tied in every row that counts; "
        f"no row says where to put {them}, so the middle is taken",
        RankingWarning,
    )


def like_labels(ranks: NDArray[np.int64], Y: Any) -> Any:
    """Return one value per label as a Series named by the columns of a DataFrame `Y`."""
    if not is_frame(Y):
        return ranks
    # Loaded already, as `Y` is a DataFrame.
    import pandas as pd

    return pd.Series(ranks, index=Y.columns, name="rank")


def like_label_pairs(matrix: NDArray[np.float64], Y: Any) -> Any:
    """Return one value per pair of labels as a DataFrame where `Y` is one."""
    return type(Y)(matrix, index=Y.columns, columns=Y.columns) if is_frame(Y) else matrix
