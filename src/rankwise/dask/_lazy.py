"""Predictions and metrics of Dask collections, partition by partition, when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._extras import require
from rankwise.dask._client import naming_losses
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
    dask = require("dask", "a Dask cluster")
    sent = dask.delayed(model, traverse=False)
    k, square = model.n_labels_, method == "predict_pairwise"
    kind = np.int64 if method == "predict" else np.float64
    if hasattr(X, "columns") and not square:
        pandas = require("pandas", "DataFrames")
        meta = pandas.DataFrame({str(label): np.empty(0, kind) for label in model.labels_})
        return X.map_partitions(_answer_frame, sent, method, recipe, given, meta=meta)
    if hasattr(X, "columns"):
        return X.map_partitions(_answer, sent, method, recipe, given, meta=np.empty((0, k, k)))
    X = X.rechunk({1: -1})
    shape = (
        {"chunks": (X.chunks[0], k, k), "new_axis": 2} if square else {"chunks": (X.chunks[0], k)}
    )
    return X.map_blocks(_answer, sent, method, recipe, given, dtype=kind, **shape)


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
    true, predicted = (c.values if hasattr(c, "columns") else c for c in (y_true, y_pred))
    arrays = require("dask.array", "a Dask cluster")
    return arrays.map_blocks(
        _measure, true, predicted, metric=metric, dtype=np.float64, drop_axis=1
    )


def _measure(true: np.ndarray, predicted: np.ndarray, metric: Any) -> np.ndarray:
    return np.asarray(metric(true, predicted, average=False)) if len(true) else np.empty(0)


def _is_collection(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


def _answer(X: Any, model: Any, method: str, recipe: Any, given: dict[str, Any]) -> Any:
    if not len(X):
        k = model.n_labels_
        return np.empty((0, k, k) if method == "predict_pairwise" else (0, k))
    if recipe is not None and hasattr(X, "columns"):
        return np.asarray(getattr(TableRanker.of(model, recipe), method)(X, **given))
    return np.asarray(getattr(model, method)(X, **given))


def _answer_frame(X: Any, model: Any, method: str, recipe: Any, given: dict[str, Any]) -> Any:
    import pandas as pd  # X is of pandas, so that it is loaded already

    found = _answer(X, model, method, recipe, given)
    kind = np.int64 if method == "predict" else np.float64
    return pd.DataFrame(found.astype(kind), columns=map(str, model.labels_), index=X.index)
