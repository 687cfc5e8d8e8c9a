"""Cells of any container: which are missing, and all of them as a plain matrix of numbers."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from rankwise._extras import require
from rankwise._naming import RowError, first_fault, number_text, row_text, shown

# Beyond this, neighbouring integers share one float64 and would turn into false ties.
EXACT_LIMIT = 2**53


def is_frame(table: Any) -> bool:
    """Whether `table` is a pandas DataFrame; pandas is not imported for it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def is_series(column: Any) -> bool:
    """Whether `column` is a pandas Series; pandas is not imported for it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(column, pandas.Series)


def is_polars(table: Any) -> bool:
    """Whether `table` is a polars DataFrame; polars is not imported for it."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(table, polars.DataFrame)


def is_missing(cell: Any) -> bool:
    """Whether one cell means "not observed": None, NaN, NA, NaT or masked."""
    return is_missing_type(type(cell)) or (isinstance(cell, Real) and cell != cell)


def is_missing_type(cls: type) -> bool:
    """Whether all cells of a type mean "not observed"."""
    # By name, so that pandas need not be imported.
    return cls.__name__ in ("NoneType", "NAType", "NaTType", "MaskedConstant")


def read_numbers(
    table: Any,
    *,
    name: str,
    column_text: Callable[[int], str],
    allow_bool: bool = False,
    min_columns: int = 2,
) -> np.ndarray:
    """Return `table` as a 2-D array: native integers where all cells are, float64 otherwise.

    Missing cells become NaN. Nothing is copied that need not be.
    """
    if hasattr(table, "tocoo"):
        raise ValueError(
            f"{name} is a sparse matrix, whose empty cells read as 0; use {name}.toarray() "
            "and put NaN where a label is missing"
        )
    if is_frame(table):
        array = _frame_cells(table)
    elif isinstance(table, np.ma.MaskedArray):
        array = _masked_cells(table)
    else:
        array = _plain_cells(table, name)
    _check_shape(array, table, name, min_columns)
    kind = array.dtype.kind
    if kind == "b" and allow_bool:
        return array.astype(np.int64)
    if kind in "bc":
        what = "true/false values" if kind == "b" else "complex numbers"
        raise ValueError(f"{name} holds {what}; give one real number per label")
    if kind in "iu":
        return array
    if kind == "f":
        with np.errstate(over="ignore"):  # what is too large for a float is infinite
            return array.astype(np.float64, copy=False)
    return _numbers_of_objects(array, table, name, column_text, allow_bool)


def _frame_cells(table: Any) -> np.ndarray:
    kinds = {d.kind if isinstance(d, np.dtype) else "extension" for d in table.dtypes}
    if len(kinds) == 1 and kinds <= {"i", "u", "f", "b", "c"}:
        return table.to_numpy()
    if kinds <= {"i", "u", "f"} and table.size:
        whole = table.select_dtypes("integer")
        if max(abs(int(whole.to_numpy().max())), abs(int(whole.to_numpy().min()))) < EXACT_LIMIT:
            return table.to_numpy(dtype=np.float64)
    # Cell by cell: to_numpy() of mixed columns would round large integers in silence.
    array = np.empty(table.shape, dtype=object)
    for j in range(table.shape[1]):
        array[:, j] = table.iloc[:, j].to_numpy(dtype=object)
    return array


def exact_cells(table: Any) -> np.ndarray:
    """Return the cells of a table of two dimensions as they are, without rounding one."""
    if is_frame(table):
        return _frame_cells(table)
    if is_polars(table):
        columns = [series.to_list() for series in table.get_columns()]
        return np.array(columns, dtype=object).T
    return table if isinstance(table, np.ndarray) else np.array(table, dtype=object)


def _masked_cells(table: np.ma.MaskedArray) -> np.ndarray:
    if not np.ma.is_masked(table):
        return table.data
    mask = np.ma.getmaskarray(table)
    if table.dtype.kind == "f":
        return np.where(mask, np.nan, table.data)
    array = table.data.astype(object)
    array[mask] = None
    return array


def _plain_cells(table: Any, name: str) -> np.ndarray:
    if isinstance(table, np.ndarray):
        return np.asarray(table)
    if isinstance(table, (list, tuple)) and any(isinstance(r, np.ma.MaskedArray) for r in table):
        table = [r.tolist() if isinstance(r, np.ma.MaskedArray) else r for r in table]
    try:
        array = np.asarray(table)
        if isinstance(table, (list, tuple)) and _was_coerced(array):
            array = np.asarray(table, dtype=object)
    except ValueError as error:
        raise ValueError(_why_not_a_table(table, name)) from error
    except Exception as error:  # of whatever container this is
        raise TypeError(
            f"{name} is a {type(table).__name__}, which does not become an array ({error}); give a "
            "table with one row per ranking and one column per label"
        ) from error
    return array


def _was_coerced(array: np.ndarray) -> bool:
    """Whether numpy may have turned numbers into text, or integers into rounded floats."""
    if array.dtype.kind == "f":
        return bool((np.abs(array) >= EXACT_LIMIT).any())
    return array.dtype.kind not in "biucO"


def _why_not_a_table(table: Any, name: str) -> str:
    if not isinstance(table, Iterable):
        return f"{name} is {shown(table)}; give a table with one row per ranking"
    rows = list(table)
    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for i, length in enumerate(lengths):
        if length is None or isinstance(rows[i], (str, bytes)):
            return f"{name}, row {i}: expected a list of numbers, got {shown(rows[i])}"
        if length != lengths[0]:
            return (
                f"{name}, row {i}: has {length} labels but row 0 has {lengths[0]}; "
                "every row needs one cell per label, NaN where it is missing"
            )
    return f"{name}: a cell holds a list; give one number per row and label"


def _check_shape(array: np.ndarray, table: Any, name: str, min_columns: int) -> None:
    if array.ndim == 0:
        raise TypeError(
            f"{name} is a {type(table).__name__}; give a table with one row per ranking and one "
            "column per label"
        )
    if array.ndim == 1 and array.size == 0:
        raise ValueError(f"{name} has no rows; give at least one ranking")
    if array.ndim == 1:
        text = any(isinstance(cell, str) for cell in array[:10])
        remedy = (
            "read texts such as 'a>b~c' with parse_rankings"
            if text
            else f"a single ranking is a table of one row, [{name}]"
        )
        raise ValueError(f"{name} is 1-D; give one row per ranking: {remedy}")
    if array.ndim > 2:
        raise ValueError(
            f"{name} is {array.ndim}-D (shape {array.shape}); give one row per ranking and one "
            "column per label"
        )
    if array.shape[1] < min_columns:
        raise ValueError(
            f"{name} has {array.shape[1]} label{'s' * (array.shape[1] != 1)} (columns); a ranking "
            "needs at least two, one column per label"
        )
    if array.shape[0] == 0:
        raise ValueError(f"{name} has no rows; give at least one ranking")


def _numbers_of_objects(
    array: np.ndarray, table: Any, name: str, column_text: Callable[[int], str], allow_bool: bool
) -> np.ndarray:
    array = array.astype(object, copy=False)
    cells = array.ravel().tolist()
    types = set(map(type, cells))
    missing = {cls for cls in types if is_missing_type(cls)}
    if all(_is_number_type(cls, allow_bool) for cls in types - missing):
        if all(issubclass(cls, (int, np.integer, np.bool_)) for cls in types):
            with contextlib.suppress(OverflowError):
                return np.array(cells, dtype=np.int64).reshape(array.shape)
        try:
            numbers = [math.nan if type(cell) in missing else float(cell) for cell in cells]
        except (OverflowError, ValueError):
            pass
        else:
            matrix = np.array(numbers).reshape(array.shape)
            _refuse_rounding(matrix, array, table, name, column_text)
            return matrix
    i, j, fault = _first_fault(array, allow_bool)
    raise ValueError(f"{name}, {row_text(table, i)}: {column_text(j)} {fault}")


def _is_number_type(cls: type, allow_bool: bool) -> bool:
    if issubclass(cls, (bool, np.bool_)):
        return allow_bool
    return issubclass(cls, (Real, Decimal)) and not issubclass(cls, np.timedelta64)


def _first_fault(array: np.ndarray, allow_bool: bool) -> tuple[int, int, str]:
    for (i, j), cell in np.ndenumerate(array):
        if is_missing_type(type(cell)):
            continue
        if isinstance(cell, (str, bytes)):
            remedy = "texts such as 'a>b~c' are read by parse_rankings"
            return (
                i,
                j,
                f"is the text {cell!r}; give a number, or NaN for a missing label ({remedy})",
            )
        if not _is_number_type(type(cell), allow_bool):
            what = f"is {shown(cell)} (a {type(cell).__name__})"
            return i, j, f"{what}; give a number, or NaN for a missing label"
        try:
            float(cell)
        except (OverflowError, ValueError):
            return i, j, f"is {number_text(cell)}, which no float can hold; give smaller numbers"
    raise AssertionError("no faulty cell")


def _refuse_rounding(
    numbers: np.ndarray, array: np.ndarray, table: Any, name: str, column_text: Callable[[int], str]
) -> None:
    large = np.isfinite(numbers) & (np.abs(numbers) >= EXACT_LIMIT)
    for i, j in zip(*np.nonzero(large), strict=True):
        if int(array[i, j]) != int(numbers[i, j]):
            raise ValueError(
                f"{name}, {row_text(table, i)}: {column_text(j)} is "
                f"{number_text(array[i, j])}; numbers above 2**53 cannot be told apart here; "
                "subtract a constant from each row"
            )


def finite_features(X: Any, needed_by: str) -> np.ndarray:
    """Return X as a 2-D array of finite numbers; Boolean and whole numbers stay what they are."""
    if hasattr(X, "tocoo"):
        raise TypeError("X is a sparse matrix; use X.toarray()")
    try:
        array = np.asarray(X)
        # Only cells of mixed types may hide plain numbers; texts and dates would lose their sense.
        array = array.astype(np.float64) if array.dtype.kind == "O" else array
    except OverflowError:
        raise ValueError("X holds a number that no float can hold; give smaller numbers") from None
    except Exception:  # of whatever container this is
        raise TypeError("X is not a matrix of numbers; encode categories and fill gaps") from None
    if np.ma.is_masked(X):
        raise TypeError("X has masked cells; fill them first, with X.filled(...)")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"X has dtype {array.dtype}; {needed_by} numbers (encode categories first)")
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"X has shape {array.shape}; give (n_samples, n_features), both above 0")
    fault = first_fault(~np.isfinite(array)) if array.dtype.kind == "f" else None
    if fault is not None:
        i, j, more = fault
        name = repr(str(X.columns[j])) if is_frame(X) else j
        raise RowError(
            i,
            "",
            f": feature {name} is {array[i, j]}; {needed_by} finite features: impute the gaps first{more}",
        )
    return array


def for_kernels(array: Any, dtype: type = np.float64) -> np.ndarray:
    """Return an array as kernels take it, copied only where it must be."""
    array = np.ascontiguousarray(array, dtype)
    # Writable although nothing is written: a read-only array would be compiled for anew. np.require
    # does the same, but takes as long as fitting a small leaf.
    return array if array.flags.writeable and array.flags.aligned else array.copy()


def framed_like(table: Any, matrix: np.ndarray) -> Any:
    """Return `matrix` as a DataFrame with the columns of `table`, and its index, where it is one."""
    if is_polars(table):
        return polars_frame(matrix, table.columns)
    if not is_frame(table):
        return matrix
    return type(table)(matrix, index=table.index, columns=table.columns)


def polars_frame(matrix: np.ndarray, names: Any) -> Any:
    """Return a matrix as a polars DataFrame, in which what is missing is null."""
    polars = require("polars", "results as polars DataFrames")
    frame = polars.DataFrame(matrix, schema=[str(name) for name in names])
    return frame.fill_nan(None) if matrix.dtype.kind == "f" else frame
