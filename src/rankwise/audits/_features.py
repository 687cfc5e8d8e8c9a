"""Features as an audit sees them: read kindly, whatever they hold, and looked at one by one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._cells import is_frame, is_polars
from rankwise._parameters import check_names

Matrix = NDArray[np.float64]

# In fewer rows whole numbers may differ by chance.
_LEAST_ROWS = 8
_NAMES_ROWS = re.compile(
    r"(?:^|[\W_])(?i:id|uid|nr|no|index|key|code|cas|serial)(?:$|[\W_])|(?<=[a-z])I[dD]$"
)


@check_arguments
@dataclass(frozen=True)
class FeatureSummary:
    """What is odd about the features, by name.

    Attributes
    ----------
    constant : tuple of str
        One value in every row.
    empty : tuple of str
        Missing in every row.
    missing : dict of str to float
        Share of rows in which a feature is missing, where some are.
    infinite : tuple of str
        Hold infinite values.
    text : tuple of str
        Hold texts or categories, which learners need encoded.
    identifiers : tuple of str
        Whole numbers that differ in every row and look like the name or number of a row: they are
        called so, count the rows, or have five digits or more, as many in every row.
    """

    constant: tuple[str, ...]
    empty: tuple[str, ...]
    missing: dict[str, float]
    infinite: tuple[str, ...]
    text: tuple[str, ...]
    identifiers: tuple[str, ...] = ()


def read_features(
    X: Any, n_rows: int, names: Sequence[Any] | None
) -> tuple[Matrix, tuple[str, ...], tuple[str, ...]]:
    """Return X as float64 (texts as category numbers), its feature names, and which are texts.

    Examples
    --------
    >>> X, names, text = read_features([[21.0], [None]], 2, ["temperature"])
    >>> X.tolist(), names, text
    ([[21.0], [nan]], ('temperature',), ())
    """
    if X is None:
        return np.empty((n_rows, 0)), (), ()
    if hasattr(X, "tocoo"):
        raise TypeError("X is a sparse matrix; use X.toarray()")
    # Imported here: it is slow to load, and an audit without features does without.
    import pandas as pd

    if is_polars(X):
        X = pd.DataFrame({name: X[name].to_list() for name in X.columns})
    if not is_frame(X):
        X = np.asarray(X) if isinstance(X, memoryview) else X
        try:
            n_dimensions = np.ndim(X)
        except ValueError as error:
            raise ValueError(
                f"X is not a table ({error}); give one row per sample, all of the same length"
            ) from error
        if n_dimensions != 2:
            raise ValueError(
                f"X is {n_dimensions}-D; give one row per sample and one column per feature"
            )
    try:
        frame = pd.DataFrame(X)
    except Exception as error:  # of whatever container this is
        raise TypeError(
            f"X is a {type(X).__name__}, which does not become a table ({error}); give one row per "
            "sample"
        ) from error
    own = [str(column) for column in frame.columns]
    found = own if names is None else check_names("features", names)
    if len(found) != len(own):
        raise ValueError(
            f"X has {len(own)} columns but {len(found)} features are named; give one name per "
            "column"
        )
    if len(frame) != n_rows:
        raise ValueError(
            f"X has {len(frame)} rows but Y has {n_rows}; give one ranking per row of X"
        )
    matrix, is_text = np.empty((n_rows, len(found))), np.empty(len(found), dtype=bool)
    for j, name in enumerate(found):
        matrix[:, j], is_text[j] = _numbers(frame.iloc[:, j], name)
    return matrix, tuple(found), _named(is_text, found)


def summarise_features(X: Matrix, names: Sequence[str], text: tuple[str, ...]) -> FeatureSummary:
    """Look at every feature: whether it varies, and where it is missing.

    Examples
    --------
    >>> summarise_features(np.array([[1.0, np.nan], [1.0, 3.0]]), ["year", "age"], ()).missing
    {'age': 0.5}
    """
    missing = np.isnan(X).mean(axis=0)
    return FeatureSummary(
        # Compared with the first row, so that a constant infinity is constant and NaN is not.
        constant=_named((X[0] == X).all(axis=0), names),
        empty=_named(missing == 1, names),
        missing={name: float(rate) for name, rate in zip(names, missing, strict=True) if rate},
        infinite=_named(np.isinf(X).any(axis=0), names),
        text=text,
        identifiers=tuple(
            name
            for name, column in zip(names, X.T, strict=True)
            if name not in text and _looks_like_identifier(name, column)
        ),
    )


def _looks_like_identifier(name: str, column: Matrix) -> bool:
    n = len(column)
    if n < _LEAST_ROWS or not (np.isfinite(column).all() and (column % 1 == 0).all()):
        return False
    if len(np.unique(column)) < n:
        return False
    low, high = column.min(), column.max()
    if _NAMES_ROWS.search(name) or high - low == n - 1:
        return True
    return bool(low >= 10_000 and len(str(int(low))) == len(str(int(high))))


def _named(mask: Any, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(itertools.compress(names, mask))


def _numbers(series: Any, name: str) -> tuple[Matrix, bool]:
    """Return one column as float64, and whether it holds anything but numbers."""
    import pandas as pd

    if getattr(series.dtype, "kind", "O") == "c":
        raise TypeError(f"X, feature {name!r}: holds complex numbers; give real ones")
    if pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan), False
    if series.dtype == object:
        is_number = [isinstance(cell, (int, float, np.number, np.bool_)) for cell in series]
        if bool((np.array(is_number) | series.isna().to_numpy()).all()):
            try:
                return series.to_numpy(dtype=np.float64, na_value=np.nan), False
            except OverflowError:
                raise ValueError(
                    f"X, feature {name!r}: holds a number that no float can hold; divide it, or give "
                    "it as text if it is a name"
                ) from None
    try:
        codes = series.factorize()[0].astype(np.float64)
    except TypeError as error:
        raise TypeError(
            f"X, feature {name!r}: holds neither numbers nor texts ({error}); give one number or "
            "text per cell"
        ) from error
    codes[codes < 0] = np.nan
    return codes, True
