"""What is asked of a fitted ranker: a row that it takes, its labels and features by name."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise._naming import list_some, suggest
from rankwise.ranker import BaseRanker


def is_pipeline(model: Any) -> bool:
    """Whether a model is a pipeline of scikit-learn; who has one has imported what it is made of."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(model, module.Pipeline)


def find_ranker(model: Any) -> Any:
    """Return the ranker that a model is or, if it is a pipeline, ends in; None where there is none."""
    if is_pipeline(model):
        steps = model.steps
        model = steps[-1][1] if isinstance(steps, list | tuple) and steps else None
    return model if isinstance(model, BaseRanker) else None


def reaching_rows(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the ranker of a model, and the rows as they reach it through the steps of a pipeline."""
    if is_pipeline(model):
        return model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X
    return model, X


def check_ranker(model: Any) -> None:
    """Refuse what is no fitted estimator of this package."""
    if isinstance(model, type) or not isinstance(model, BaseRanker):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"model must be a fitted ranker, such as ForestRanker().fit(X, Y), got {name}"
        )
    check_is_fitted(model)


def check_model(model: Any) -> None:
    """Refuse what is neither a fitted ranker nor a pipeline that ends in one."""
    found = find_ranker(model)
    check_ranker(model if found is None else found)


def as_one_row(x: Any) -> Any:
    """Return a row of shape (d,), or a Series, as a table of one row; tables stay what they are."""
    if hasattr(x, "to_frame") and hasattr(x, "index") and not hasattr(x, "columns"):
        return x.to_frame().T.infer_objects()  # a Series: one row of a DataFrame
    if hasattr(x, "columns") or hasattr(x, "tocoo"):
        return x
    try:
        x = np.asarray(x)
    except ValueError:
        raise ValueError("x is no row of features; give one number for each") from None
    return x.reshape(1, -1) if x.ndim == 1 else x


def one_row(model: Any, x: Any) -> Any:
    """Check one row of features of shape (d,) or (1, d), a Series or a DataFrame of one row.

    Returns
    -------
    ndarray of shape (1, n_features)
        Of floats; a DataFrame where the model was fitted on one.
    """
    check_ranker(model)
    x = as_one_row(x)
    shape = np.shape(x)
    if len(shape) != 2 or shape[0] != 1:
        raise ValueError(
            f"x must be one row of features, of shape ({model.n_features_in_},) or (1, "
            f"{model.n_features_in_}), got shape {shape}; of many rows pass one, such as X[0] or "
            "X.iloc[[0]]"
        )
    return checked_rows(model, x)


def checked_rows(model: Any, X: Any) -> Any:
    """Rows that the model takes, as floats, or in a DataFrame if it was fitted on one.

    The model has seen the names then, and does not warn; text and categories stay what they are.
    """
    if hasattr(model, "recipe_"):
        return X  # a table, whose cells become features whenever the model is asked
    checked = model._check_features(X, reset=False)
    if hasattr(checked, "iloc"):
        return checked
    values = checked.astype(np.float64)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return values
    # imported here: needed for models of DataFrames only
    import pandas as pd

    return pd.DataFrame(values, columns=names)


def feature_names(model: Any) -> list[str]:
    """Names of the features, or of the columns that they are made of; "feature 3" where they have none."""
    if hasattr(model, "recipe_"):
        return [column.name for column in model.recipe_.columns]
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"feature {j}" for j in range(model.n_features_in_)]
    return [str(name) for name in names]


def label_texts(model: Any) -> list[str]:
    """Names of the labels, "label 3" where they have none."""
    named = getattr(model, "_labels_are_named", True)
    return [str(label) if named else f"label {label}" for label in model.labels_]


def find_label(model: Any, label: Any, argument: str) -> int:
    """Return the column of a label given by name, or by number where labels have no names."""
    known = [str(name) for name in model.labels_]
    if not isinstance(label, bool | np.bool_) and str(label) in known:
        return known.index(str(label))
    hint = suggest(label, known) or f"labels are {list_some(known, 12)}"
    raise ValueError(f"{argument}: the model knows no label {label!r}; {hint}")
