"""Rankings made of tables of classes and of numbers, as the benchmarks were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._naming import shown
from rankwise._parameters import is_whole
from rankwise.datasets._dataset import Dataset
from rankwise.rankings import ranks_from_scores


@check_arguments
def from_classification(
    X: Any, y: Any, *, classifier: Any = None, name: str = "", source: str = ""
) -> Dataset:
    """Make rankings of a classification table: classes ordered by their probability (type A).

    A classifier is fitted to all rows; each row's labels are the classes, the most probable first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; the columns of a DataFrame give the names.
    y : array-like of shape (n_samples,)
        Classes; they become the labels, in sorted order.
    classifier : scikit-learn classifier, optional
        By default Gaussian naive Bayes, whose logarithmic probabilities are compared, so that
        probabilities too small for a float do not turn into ties.
    name, source : str
        Kept in the dataset.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> drinks = from_classification([[8.0], [9.0], [16.0], [17.0], [22.0], [23.0]],
    ...                              ["coffee", "coffee", "tea", "tea", "water", "water"])
    >>> drinks.label_names
    ('coffee', 'tea', 'water')
    >>> drinks.Y.iloc[[0, 5]]
       coffee  tea  water
    0     1.0  2.0    3.0
    5     3.0  2.0    1.0
    """
    from sklearn.base import clone
    from sklearn.naive_bayes import GaussianNB

    features, names = _matrix(X)
    classes = np.asarray(y)
    if classes.ndim != 1 or len(classes) != len(features):
        raise ValueError(
            f"y has shape {classes.shape} and X has {len(features)} rows; give one class per row"
        )
    if len(np.unique(classes)) < 2:
        raise ValueError("y holds one class; a ranking needs at least two labels")
    if classifier is not None and (isinstance(classifier, type) or not hasattr(classifier, "fit")):
        raise TypeError(f"classifier is {shown(classifier)}; give one, such as GaussianNB()")
    model = (GaussianNB() if classifier is None else clone(classifier)).fit(features, classes)
    if hasattr(model, "predict_joint_log_proba"):
        scores = model.predict_joint_log_proba(features)
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(features)
    else:
        raise TypeError(f"{model} gives no probabilities; choose a classifier with predict_proba")
    return Dataset(
        features,
        ranks_from_scores(scores),
        feature_names=names,
        label_names=tuple(str(label) for label in model.classes_),
        name=name,
        source=source,
        notes=(f"labels are the classes, ordered by {type(model).__name__} probabilities",),
    )


@check_arguments
def from_regression(
    X: Any,
    columns: Sequence[Any],
    *,
    higher_is_better: bool = True,
    name: str = "",
    source: str = "",
) -> Dataset:
    """Make rankings of a table of numbers: some columns, standardised, are ordered (type B).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns)
        The table; NaN = missing, in features and in labels.
    columns : sequence
        The columns that become labels: names if `X` is a DataFrame, else column numbers. The others
        are features.
    higher_is_better : bool
        Whether the largest standardised value comes first.
    name, source : str
        Kept in the dataset.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> drinks = from_regression([[21.0, 5.0, 90.0, 1.0], [35.0, 1.0, 10.0, 3.0]], [1, 2, 3])
    >>> drinks.features.ravel()
    array([21., 35.])
    >>> drinks.ranks
    array([[1., 1., 2.],
           [2., 2., 1.]])
    """
    table, names = _matrix(X)
    chosen = _column_places(columns, names, table.shape[1])
    rest = [j for j in range(table.shape[1]) if j not in chosen]
    values = table[:, chosen]
    known = [column[~np.isnan(column)] for column in values.T]
    # A constant column may have a standard deviation of rounding errors.
    spread = [column.std() if len(np.unique(column)) > 1 else 0.0 for column in known]
    for place, deviation in zip(chosen, spread, strict=True):
        if not deviation > 0:
            raise ValueError(
                f"column {names[place]!r} never varies, so it cannot be standardised; leave it out"
            )
    standard = (values - np.nanmean(values, axis=0)) / spread
    return Dataset(
        table[:, rest],
        ranks_from_scores(standard, higher_is_better=higher_is_better),
        feature_names=tuple(names[j] for j in rest),
        label_names=tuple(names[j] for j in chosen),
        name=name,
        source=source,
        values=values,
        notes=("labels are columns of the table, standardised and ordered within each row",),
    )


def _matrix(X: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    columns = getattr(X, "columns", None)
    try:
        matrix = np.array(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X holds something that is not a number ({error}); encode it first"
        ) from error
    if matrix.ndim != 2 or not matrix.shape[0]:
        raise ValueError(f"X has shape {matrix.shape}; give a table with at least one row")
    if columns is None:
        return matrix, tuple(f"A{j + 1}" for j in range(matrix.shape[1]))
    return matrix, tuple(str(column) for column in columns)


def _column_places(columns: Any, names: tuple[str, ...], width: int) -> list[int]:
    places = []
    for column in columns:
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"X has no column {column!r}; its columns are {', '.join(names)}")
            places.append(names.index(column))
        elif not is_whole(column):
            raise TypeError(f"columns holds {shown(column)}; give names or numbers of columns")
        elif -width <= column < width:
            places.append(int(column) % width)
        else:
            raise ValueError(f"column {column}: X has {width} columns, 0 to {width - 1}")
    if len(set(places)) < len(places):
        raise ValueError("columns names a column twice; keep one")
    if len(places) < 2:
        raise ValueError(f"columns names {len(places)} column; a ranking needs at least two")
    return places
