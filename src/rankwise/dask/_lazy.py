"""Predictions and metrics of Dask collections, partition by partition, when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._extras import require
from rankwise._naming import name_some
from rankwise.dask._client import naming_losses
from rankwise.dask._collections import chunked_as, is_counted, partitions
from rankwise.dask._partitions import check_names, naming_partition
from rankwise.metrics import kendall_tau
from rankwise.tables import TableRanker


class LazyPredictions:
    """What estimators of Dask collections have in common: they answer by `model_`, an ordinary ranker."""

    model_: Any
    _recipe_of_tables: Any

    def predict(self, X: Any, top: int | None = None) -> Any:
        """Rank the labels of each row, lazily on each partition.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or array-like
            New rows.
        top : int, optional
            How many places to fill; labels behind them are tied.

        Returns
        -------
        Dask DataFrame or Array of shape (n_samples, n_labels)
            Of the same kind as X; what is no Dask collection is ranked at once.
        """
        return lazily(self.model_, "predict", X, self._recipe_of_tables, top=top)

    def predict_positions(self, X: Any) -> Any:
        """Predict the expected position of each label, lazily on each partition.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or array-like
            New rows.

        Returns
        -------
        Dask DataFrame or Array of shape (n_samples, n_labels)
        """
        return lazily(self.model_, "predict_positions", X, self._recipe_of_tables)

    def predict_pairwise(self, X: Any) -> Any:
        """Predict the share of each pair of labels, lazily on each partition.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or array-like
            New rows.

        Returns
        -------
        Dask Array of shape (n_samples, n_labels, n_labels)
        """
        return lazily(self.model_, "predict_pairwise", X, self._recipe_of_tables)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean Kendall tau between `y` and the predicted ranks, of the rows of all partitions.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or array-like
            Rows.
        y : Dask DataFrame or Array of shape (n_samples, n_labels), or array-like
            Their true ranks.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; not for Dask collections.

        Returns
        -------
        float
        """
        if not _is_collection(X):
            return self.model_.score(X, y, sample_weight)
        if sample_weight is not None:
            raise ValueError(
                "sample_weight is for rows in memory; leave it out for Dask collections"
            )
        with naming_losses():
            values = rowwise(kendall_tau, y, self.predict(X))
            return float(np.nanmean(np.asarray(values.compute())))


def lazily(model: Any, method: str, X: Any, recipe: Any = None, **given: Any) -> Any:
    """What a method of a fitted model says of each partition, when it is asked for.

    Parameters
    ----------
    model : ranker
        Fitted.
    method : str
        ``"predict"``, ``"predict_positions"`` or ``"predict_pairwise"``.
    X : Dask DataFrame or Array, or array-like
        Rows; what is no Dask collection is answered at once.
    recipe : Recipe, optional
        How features are made of the columns of DataFrames.
    **given
        What else the method takes.
    """
    if not _is_collection(X):
        return _answer(X, model, method, recipe, given)
    X = _as_fitted(X, model, recipe)
    dask = require("dask", "a Dask cluster")
    sent = dask.delayed(model, traverse=False)
    k, square = model.n_labels_, method == "predict_pairwise"
    kind = np.dtype(np.int64 if method == "predict" else np.float64)
    if not hasattr(X, "columns"):
        rows = X.chunks[0]
        shape = {"chunks": (rows, k, k), "new_axis": 2} if square else {"chunks": (rows, k)}
        return X.map_blocks(_answer_block, sent, method, given, dtype=kind, **shape)
    meta = np.empty((0, k, k))
    if not square:
        pandas = require("pandas", "DataFrames")
        meta = pandas.DataFrame({str(label): np.empty(0, kind) for label in model.labels_})
    return _by_partition(X, _answer_partition, sent, method, recipe, given, meta=meta)


def rowwise(metric: Any, y_true: Any, y_pred: Any) -> Any:
    """A metric of each row, lazily on each partition.

    Parameters
    ----------
    metric : callable
        Of `rankwise.metrics`, taking ``average=False``.
    y_true, y_pred : Dask DataFrame or Array of shape (n_samples, n_labels)
        Ranks, with the same partitions.

    Returns
    -------
    Dask Array of shape (n_samples,)
        One value per row; NaN where a row has none.
    """
    if is_counted(y_true) and is_counted(y_pred):
        y_true = chunked_as(y_true, y_pred, "y_true", "y_pred")
    true, predicted = partitions(y_true), partitions(y_pred)
    if len(true) != len(predicted):
        raise ValueError(
            f"y_true has {len(true)} partition(s) and y_pred has {len(predicted)}; give them the same "
            "partitions: call repartition"
        )
    # not by Dask's own pairing: it may read some columns of a file in other partitions than others
    measure = require("dask", "a Dask cluster").delayed(_measure, pure=False)
    tasks = [measure(*own, metric, p) for p, own in enumerate(zip(true, predicted, strict=True))]
    sizes = y_pred.chunks[0] if is_counted(y_pred) else [np.nan] * len(tasks)
    arrays = require("dask.array", "a Dask cluster")
    parts = [
        arrays.from_delayed(task, (n,), np.float64) for task, n in zip(tasks, sizes, strict=True)
    ]
    return arrays.concatenate(parts, allow_unknown_chunksizes=True)


def _by_partition(X: Any, function: Any, *given: Any, meta: Any) -> Any:
    """What a function says of each partition, which is told its number.

    Dask may read several partitions of files as one, and then numbers those.
    """
    made = X.map_partitions(function, *given, "", meta=meta)
    n_read = made.numblocks[0] if hasattr(made, "numblocks") else made.optimize().npartitions
    if n_read == X.npartitions:
        return made
    of = f" of {n_read} (Dask reads {X.npartitions} partitions as so many)"
    return X.map_partitions(function, *given, of, meta=meta)


def _as_fitted(X: Any, model: Any, recipe: Any) -> Any:
    """Rows with the columns that a model was fitted to; by name where they have names."""
    if not hasattr(X, "columns"):
        if X.ndim != 2 or X.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has the shape {X.shape}, and the model was fitted to {model.n_features_in_} "
                "features; give one column for each of them"
            )
        return X.rechunk({1: -1})
    wanted = _names_of(model, recipe)
    if wanted is None:
        return X
    lost = [name for name in wanted if name not in X.columns]
    if lost:
        raise ValueError(
            f"X lacks the column{'s' * (len(lost) > 1)} {name_some(lost)}, which the model was fitted "
            "to; add what is missing (cells may be empty where not known)"
        )
    return X[wanted]


def _names_of(model: Any, recipe: Any) -> list[str] | None:
    """The columns of tables that a model was fitted to; None where they had no names."""
    if recipe is not None:
        return [column.name for column in recipe.columns]
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else list(names)


def _measure(true: Any, predicted: Any, metric: Any, number: int) -> np.ndarray:
    if not len(true):
        return np.empty(0)
    with naming_partition(number, "Y_true", "Y_pred"):
        return np.asarray(metric(true, predicted, average=False))


def _is_collection(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


def _answer(X: Any, model: Any, method: str, recipe: Any, given: dict[str, Any]) -> Any:
    if not len(X):
        k = model.n_labels_
        return np.empty((0, k, k) if method == "predict_pairwise" else (0, k))
    if recipe is not None and hasattr(X, "columns"):
        return np.asarray(getattr(TableRanker.of(model, recipe), method)(X, **given))
    return np.asarray(getattr(model, method)(X, **given))


def _answer_block(
    X: Any, model: Any, method: str, given: dict[str, Any], block_id: Any = None
) -> np.ndarray:
    with naming_partition(block_id[0], "X"):
        return _answer(X, model, method, None, given)


def _answer_partition(
    X: Any,
    model: Any,
    method: str,
    recipe: Any,
    given: dict[str, Any],
    of: str,
    partition_info: Any = None,
) -> Any:
    import pandas as pd  # X is of pandas, so that it is loaded already

    number = partition_info["number"]
    with naming_partition(number, "X", of=of):
        wanted = _names_of(model, recipe)
        if wanted is not None:
            check_names(X, wanted, "X")
        found = _answer(X, model, method, recipe, given)
    if method == "predict_pairwise":
        return found
    kind = np.int64 if method == "predict" else np.float64
    return pd.DataFrame(found.astype(kind), columns=map(str, model.labels_), index=X.index)
