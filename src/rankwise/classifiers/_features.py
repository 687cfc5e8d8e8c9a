"""Features as every classifier reads them: converted once, shared by all, names kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import is_frame


def share_features(X: NDArray[Any], names: NDArray[Any] | None = None) -> Any:
    """Return X as floats by rows, safe from writing; a DataFrame on the same memory if named.

    Examples
    --------
    >>> share_features(np.array([[True, False]]))
    array([[1., 0.]])
    """
    # Integers and column order would be converted anew, and copied, in each of k (k - 1) / 2 fits.
    shared = np.ascontiguousarray(X, dtype=X.dtype if X.dtype.kind == "f" else np.float64).view()
    shared.flags.writeable = False
    if names is None:
        return shared
    # imported here: it takes longer than a small fit, and is needed for DataFrames only
    import pandas as pd

    return pd.DataFrame(shared, columns=names, copy=False)


def must_stay_a_frame(X: Any, estimator: Any) -> bool:
    """Whether X holds what an array of floats would lose, and `estimator` may look for.

    That is text, categories and dates; and integers beside floats, by which the parts of a
    pipeline can choose columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> frame = pd.DataFrame({"hour": [7.5, 8.0], "guests": [2, 3]})
    >>> must_stay_a_frame(frame, LogisticRegression())
    False
    >>> must_stay_a_frame(frame.astype({"guests": "category"}), LogisticRegression())
    True
    """
    if not is_frame(X):
        return False
    from pandas.api.types import is_numeric_dtype

    if not all(is_numeric_dtype(dtype) for dtype in X.dtypes):
        return True
    floats_alone = {dtype.kind for dtype in X.dtypes} == {"f"} and len(set(X.dtypes)) == 1
    return not floats_alone and _has_parts(estimator)


def check_frame(X: Any) -> None:
    """Raise an error if X is empty, or name its first infinite cell."""
    if 0 in X.shape:
        raise ValueError(
            f"X has {X.shape[0]} sample(s) and {X.shape[1]} feature(s) while a minimum of 1 is "
            "required of both"
        )
    for j, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            bad = np.flatnonzero(np.isinf(X.iloc[:, j].to_numpy()))
            if len(bad):
                raise ValueError(
                    f"X contains infinity (inf) in row {bad[0]}, feature {str(name)!r}; replace it "
                    "by a finite number, or by NaN where the estimator takes missing values"
                )


def _has_parts(estimator: Any) -> bool:
    return estimator is not None and any(
        hasattr(value, "get_params") for value in estimator.get_params(deep=True).values()
    )
