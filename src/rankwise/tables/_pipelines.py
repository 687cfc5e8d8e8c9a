"""What pipelines of scikit-learn do not pass on: shares and positions of the ranker at their end."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._fitted import check_model, reaching_rows
from rankwise._naming import index_of


@check_arguments
def predict_pairwise(model: Any, X: Any) -> np.ndarray:
    """Predict for each two labels how much speaks for the one before the other.

    Parameters
    ----------
    model : ranker or Pipeline
        Fitted; a pipeline ends in a ranker.
    X : array-like of shape (n_samples, n_features)
        New rows, as the first step of the pipeline takes them.

    Returns
    -------
    ndarray of shape (n_samples, n_labels, n_labels)
        As `predict_pairwise` of the ranker gives them.

    Examples
    --------
    >>> import rankwise as rw
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> model = make_pipeline(StandardScaler(), rw.TreeRanker()).fit([[8], [17]], [[1, 2], [2, 1]])
    >>> predict_pairwise(model, [[9]])
    array([[[0.5, 1. ],
            [0. , 0.5]]])
    """
    check_model(model)
    ranker, rows = reaching_rows(model, X)
    shares: np.ndarray = ranker.predict_pairwise(rows)
    return shares


@check_arguments
def predict_positions(model: Any, X: Any) -> Any:
    """Predict the expected position of each label, a number from 1 to the number of labels.

    Parameters
    ----------
    model : ranker or Pipeline
        Fitted; a pipeline ends in a ranker.
    X : array-like of shape (n_samples, n_features)
        New rows, as the first step of the pipeline takes them.

    Returns
    -------
    ndarray or DataFrame of shape (n_samples, n_labels)
        As `predict_positions` of the ranker gives them, under the index of X.

    Examples
    --------
    >>> import rankwise as rw
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> model = make_pipeline(StandardScaler(), rw.TreeRanker()).fit([[8], [17]], [[1, 2], [2, 1]])
    >>> predict_positions(model, [[9]])
    array([[1., 2.]])
    """
    check_model(model)
    ranker, rows = reaching_rows(model, X)
    positions, index = ranker.predict_positions(rows), index_of(X)
    return (
        positions.set_axis(index) if index is not None and hasattr(positions, "iloc") else positions
    )
