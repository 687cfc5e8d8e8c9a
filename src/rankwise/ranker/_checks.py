"""What every estimator asks of its rows: features that are numbers, and rankings that compare labels."""

from __future__ import annotations

import datetime
import itertools
import math
import numbers
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils.validation import validate_data

from rankwise._cells import EXACT_LIMIT, exact_cells, is_frame, is_polars, is_series
from rankwise._messages import warn_caller
from rankwise._naming import RowError, refuse_halves, shown
from rankwise._parameters import check_numbers

# Squares of larger features would overflow, and all rows be equally far.
LARGEST = 1e150


def is_plain_table(X: object) -> TypeGuard[np.ndarray]:
    """Whether X is a filled matrix of real numbers, and of numpy's own class.

    Examples
    --------
    >>> import numpy as np
    >>> is_plain_table(np.ones((2, 3))), is_plain_table([[1.0, 2.0]])
    (True, False)
    """
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiub" and X.size > 0


def at_most_64_bits(X: np.ndarray) -> np.ndarray:
    """Wider floats as float64, which every learner computes with; what is too large is infinite."""
    if X.dtype.kind != "f" or X.dtype.itemsize <= 8:
        return X
    with np.errstate(over="ignore"):
        return X.astype(np.float64)


def check_table(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """Return a table as a matrix of real numbers, NaN where one is missing, for a dense estimator.

    The names of its columns are kept in the estimator if `reset`, and compared with those kept else.
    """
    taker = type(estimator).__name__
    if is_sparse(X):
        dense = "X.sparse.to_dense()" if is_frame(X) else "X.toarray()"
        raise TypeError(
            f"X is a sparse matrix, which {taker} does not take; give {dense}, or "
            "take PairwiseRanker(LogisticRegression()), which learns from sparse matrices"
        )
    refuse_twins(X)
    try:
        checked: np.ndarray = validate_data(
            estimator, missing_as_nan(X), reset=reset, dtype="numeric", ensure_all_finite=False
        )
    except OverflowError:
        raise ValueError(
            "X holds a whole number that no float can hold; give smaller numbers"
        ) from None
    except Exception as error:  # of whatever container this is
        if is_frame(X) and not X.shape[1]:
            raise ValueError(
                f"X is a table without columns: 0 feature(s) (shape={X.shape}) while a minimum of 1 is "
                "required."
            ) from None
        if is_series(X):
            raise ValueError(
                "X is a single column of texts or lists; give a table with one column per feature"
            ) from None
        refuse_texts(X, taker)
        check_numbers("X", X)
        if type(error) not in (ValueError, TypeError):  # of another package's own kind
            raise TypeError(
                f"X is a {type(X).__name__}, which does not become a table ({error}); give an array or "
                "a DataFrame"
            ) from error
        raise
    if checked.dtype.kind not in "fiub":
        refuse_texts(X, taker)
        raise ValueError(f"X must hold real numbers, got dtype {checked.dtype}")
    if reset:
        # scikit-learn does not count the columns of every container that becomes a matrix
        estimator.n_features_in_ = checked.shape[1]
    return checked


def refuse_texts(X: Any, taker: str) -> None:
    """Raise an error that names the first column of X that holds texts or dates, if there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> refuse_texts(pd.DataFrame({"hour": [8], "place": ["home"]}), "TreeRanker")
    Traceback (most recent call last):
    ValueError: X: column 'place' holds the text 'home' (row 0), and TreeRanker takes numbers: ...
    """
    if is_frame(X) or is_polars(X):
        names = [f"column {str(name)!r}" for name in X.columns]
        columns = [X[:, j] if is_polars(X) else X.iloc[:, j] for j in range(len(names))]
    else:
        array = refuse_uneven(X)
        columns = list(array.T) if array.ndim == 2 else []
        names = [f"feature {j}" for j in range(len(columns))]
    for name, column in zip(names, columns, strict=True):
        for i, cell in enumerate(column):
            if isinstance(cell, bytes) or (isinstance(cell, str) and not _is_number(cell)):
                what = "text"
                remedy = (
                    f"TableRanker({taker}()) makes features of such columns, and keeps their names"
                )
            elif isinstance(cell, datetime.date | datetime.timedelta | np.datetime64):
                what, remedy = (
                    "date",
                    "leave it out, or write it as a number (days since the first)",
                )
            elif isinstance(cell, complex | np.complexfloating):
                what, remedy = (
                    "complex number",
                    ("Complex data not supported; give its two parts as features"),
                )
            elif cell is None or isinstance(cell, str | numbers.Number | np.generic):
                continue
            else:
                raise TypeError(
                    f"X: {name} holds the {type(cell).__name__} {shown(cell)} (row {i}); a cell of "
                    "this argument must be a number, NaN or the string of a number"
                )
            raise ValueError(
                f"X: {name} holds the {what} {str(cell)[:60]!r} (row {i}), and {taker} takes numbers: "
                f"{remedy}"
            )
    if columns and not hasattr(X, "columns") and np.asarray(X).dtype.kind == "U":
        raise ValueError(
            "X holds numbers that are written as texts; give np.asarray(X, dtype=float)"
        )


def refuse_uneven(X: Any) -> np.ndarray:
    """Return X as an array of objects, or name the first row that has other cells than the one before."""
    try:
        rows = np.asarray(X, dtype=object)
    except Exception as error:  # of whatever container this is
        raise TypeError(
            f"X is a {type(X).__name__} that does not become an array ({error}); give a table with one "
            "row per sample and one column per feature"
        ) from error
    if rows.ndim != 1 or not all(hasattr(r, "__len__") and not is_sparse(r) for r in rows):
        return rows
    lengths = [0 if isinstance(row, str) else len(row) for row in rows]
    for i, (before, here) in enumerate(itertools.pairwise(lengths), 1):
        if before != here:
            raise ValueError(
                f"X: row {i} has {here} cells and row {i - 1} has {before}; give as many in each row"
            )
    return rows


def missing_as_nan(X: Any) -> Any:
    """Put NaN for pandas' NA in the columns of a DataFrame that hold objects, which numpy cannot.

    Columns that hold numbers and nothing else are columns of numbers then.

    Examples
    --------
    >>> import pandas as pd
    >>> missing_as_nan(pd.DataFrame({"hour": [8, pd.NA]}, dtype=object))["hour"].tolist()
    [8.0, nan]
    """
    objects = np.flatnonzero(X.dtypes == "object") if is_frame(X) else ()
    if not len(objects):
        return X
    filled = X.copy()
    for j in objects:
        column = X.iloc[:, j]
        cells = np.where(column.isna(), np.nan, column.to_numpy())
        filled.isetitem(j, type(column)(cells, column.index).infer_objects())
    return filled


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix, or a DataFrame that has sparse columns alone.

    Examples
    --------
    >>> import pandas as pd
    >>> is_sparse(pd.DataFrame({"hour": [8]})), is_sparse(pd.DataFrame({"hour": [8]}).astype("Sparse"))
    (False, True)
    """
    if is_frame(X):
        return X.shape[1] > 0 and all(hasattr(dtype, "fill_value") for dtype in X.dtypes)
    return hasattr(X, "tocoo")


def refuse_twins(X: Any) -> None:
    """Raise an error that names columns of a DataFrame that have one name, or one that is no text."""
    if not is_frame(X):
        return
    names = list(map(str, X.columns))
    refuse_halves(names, "column of X")
    if len(set(names)) < len(names):
        twin = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"X has two columns called {twin!r}; rename one of them")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def refuse_bad_numbers(X: np.ndarray, names: np.ndarray | None, missing_allowed: bool) -> None:
    """Raise an error that names the first cell of X that is infinite, or missing where it must not."""
    if X.dtype.kind != "f":
        return
    for start in range(0, len(X), 16_384):
        rows = X[start : start + 16_384]
        with np.errstate(over="ignore", invalid="ignore"):
            if math.isfinite(rows.sum()):
                continue  # then so is every number, at a fraction of the cost of looking at each
        bad = np.isinf(rows) if missing_allowed else ~np.isfinite(rows)
        if bad.any():
            i, j = np.argwhere(bad)[0]
            feature = repr(str(names[j])) if names is not None else str(j)
            what = "NaN (missing)" if np.isnan(rows[i, j]) else "infinity (inf)"
            remedy = (
                "fill it in, for example with sklearn.impute.SimpleImputer"
                if np.isnan(rows[i, j])
                else "replace it by a finite number, or by NaN where the estimator takes missing values"
            )
            raise ValueError(f"X contains {what} in row {start + i}, feature {feature}; {remedy}")


def warn_of_rounding(X: Any, checked: np.ndarray, names: np.ndarray | None) -> None:
    """Warn where X holds a whole number that no float holds, for others may become equal to it.

    `checked` is X as an array of numbers.
    """
    if checked.dtype.kind == "b" or (isinstance(X, np.ndarray) and X.dtype.kind in "fb"):
        return
    if checked.size and max(-float(checked.min()), float(checked.max())) < EXACT_LIMIT:
        return  # no copy of X is needed to see it, unless numbers are missing
    with np.errstate(invalid="ignore"):
        large = np.abs(checked.astype(np.float64)) >= EXACT_LIMIT
    if not large.any():
        return
    cells = exact_cells(X)
    for i, j in np.argwhere(large):
        cell = cells[i, j]
        if isinstance(cell, (int, np.integer)) and int(cell) != int(float(cell)):
            feature = str(j) if names is None else repr(str(names[j]))
            warn_caller(
                f"X, row {i}: feature {feature} is {cell}, and whole numbers above 2**53 are rounded: "
                "some that differ may become equal; subtract a constant from the feature, or encode it "
                "if its numbers are names",
                UserWarning,
            )
            return


def finite_answers(numbers: np.ndarray) -> np.ndarray:
    """Return what was predicted, or an error where it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(numbers.sum()) or np.isfinite(numbers).all():
            return numbers
    row = int(np.argwhere(~np.isfinite(numbers))[0, 0])
    raise RowError(
        row,
        "",
        ": what is predicted is no number; its features, or what the model has learned, are too large to "
        "calculate with: rescale the features and fit anew",
    )


def as_floats(X: np.ndarray, names: np.ndarray | None = None) -> np.ndarray:
    """Return X in float64, or name the first cell that is too large to take distances with.

    Examples
    --------
    >>> import numpy as np
    >>> as_floats(np.array([[7, 8]]))
    array([[7., 8.]])
    """
    features: np.ndarray = X.astype(np.float64)
    too_large = np.abs(features) > LARGEST
    if too_large.any():
        i, j = np.argwhere(too_large)[0]
        feature = str(j) if names is None else repr(str(names[j]))
        raise RowError(
            int(i),
            "X, ",
            f", feature {feature} is {features[i, j]:g}; distances need numbers up to {LARGEST:g}: "
            "rescale the feature",
        )
    return features


def compares(ranks: np.ndarray, ties_count: bool = False) -> np.ndarray:
    """Whether each row puts any label before another; or ties two, where that counts.

    Examples
    --------
    >>> import numpy as np
    >>> ranks = np.array([[1.0, 2.0, np.nan], [1.0, 1.0, np.nan], [2.0, np.nan, np.nan]])
    >>> compares(ranks)
    array([ True, False, False])
    >>> compares(ranks, ties_count=True)
    array([ True,  True, False])
    """
    if ties_count:
        several: np.ndarray = (~np.isnan(ranks)).sum(axis=1) > 1
        return several
    low = np.where(np.isnan(ranks), np.inf, ranks).min(axis=1)
    high = np.where(np.isnan(ranks), -np.inf, ranks).max(axis=1)
    return low < high


def comparing_rows(
    ranks: np.ndarray, weights: np.ndarray | None = None, ties_count: bool = False
) -> np.ndarray:
    """As `compares`; an error where no row that counts does."""
    rows = compares(ranks, ties_count)
    if not (rows if weights is None else rows & (weights > 0)).any():
        raise ValueError(
            "no row of y puts one label before another: every label is missing or tied, or its row "
            "has no weight; at least one row must order two labels"
        )
    return rows


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array or a DataFrame, by a mask, whole numbers or a slice."""
    if hasattr(X, "tocsr") and X.format != "csr":
        X = X.tocsr()  # not every kind of sparse matrix gives some of its rows
    if is_polars(X) and np.asarray(rows).dtype.kind == "b":
        rows = np.flatnonzero(rows)
    return X.iloc[rows] if is_frame(X) else X[rows]
