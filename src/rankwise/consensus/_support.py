"""What every rule stands on: how much support each label has before each other."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._wording import name_some
from rankwise.consensus._kernels import count_support
from rankwise.rankings import RankingWarning, check_rankings, label_names

# Sums of supports up to this size stay finite for any number of rows and labels.
LARGEST = 1e200


def support_of_rankings(Y: Any, sample_weight: Any, *, warn: bool = True) -> NDArray[np.float64]:
    """Return (k, k): the weight of the rows of `Y` that put the row label before the column label.

    With `warn`, a `RankingWarning` names labels that are never compared.
    """
    ranks = _for_kernels(check_rankings(Y))
    weights = _check_weight(sample_weight, ranks.shape[0])
    support = np.zeros((ranks.shape[1], ranks.shape[1]))
    count_support(ranks, weights, support)
    if warn:
        _warn_of_never_compared(support, label_names(Y))
    return support


def check_support(W: ArrayLike) -> NDArray[np.float64]:
    """Return a batch of supports as C-contiguous float64 (n, k, k), or say what is wrong."""
    array = _read_numbers(W, "W", "give real numbers, NaN for never compared")
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


def _read_numbers(values: Any, name: str, remedy: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return _for_kernels(array)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is not a table of numbers ({error}); {remedy}") from error
    raise TypeError(f"{name} holds values of type {array.dtype}; {remedy}")


def _for_kernels(array: NDArray[Any]) -> NDArray[np.float64]:
    # Writable although nothing is written: a read-only array would be compiled for anew.
    return np.require(array, np.float64, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])


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


def _check_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _read_numbers(sample_weight, "sample_weight", "give one real number per row")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but Y has {n_rows} rows; give one weight "
            "per row"
        )
    wrong = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST)))
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"row {i}: sample_weight is {weights[i]:g}; weights are finite, at least 0 and at most "
            f"{LARGEST:g} (0 leaves a row out)"
        )
    if not weights.any():
        raise ValueError("every sample_weight is 0; at least one row must count")
    return weights


def _warn_of_never_compared(support: NDArray[np.float64], names: list[Any] | None) -> None:
    silent = np.flatnonzero((support + support.T).sum(axis=1) == 0)
    if not silent.size:
        return
    shown = name_some(int(j) if names is None else names[j] for j in silent)
    which, them = ("labels", "them") if silent.size > 1 else ("label", "it")
    warnings.warn(
        f"{which} {shown}: never compared, as missing or tied in every row that counts; "
        f"no row says where to put {them}, so the middle is taken",
        RankingWarning,
        stacklevel=4,
    )


def like_labels(ranks: NDArray[np.int64], Y: Any) -> Any:
    """Return one value per label as a Series named by the columns of a DataFrame `Y`."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(Y, pandas.DataFrame):
        return ranks
    return pandas.Series(ranks, index=Y.columns, name="rank")


def like_label_pairs(matrix: NDArray[np.float64], Y: Any) -> Any:
    """Return one value per pair of labels as a DataFrame where `Y` is one."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(Y, pandas.DataFrame):
        return matrix
    return pandas.DataFrame(matrix, index=Y.columns, columns=Y.columns)
