"""What pictures ask a model for."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_row(model: Any, x: Any) -> Any:
    """One checked row in the container that the model takes without a warning."""
    # imported here, as below: curves and diagrams need no estimator, and numba takes time to load
    from rankwise.explanations._row import one_row

    return one_row(model, x)


def check_model(model: Any) -> None:
    """Refuse what is no fitted ranker."""
    from rankwise.explanations._row import check_ranker

    check_ranker(model)


def labels_of(model: Any) -> list[str]:
    """Names of the labels, numbered where they have none."""
    from rankwise.explanations._row import label_texts

    return label_texts(model)


def features_of(model: Any) -> list[str]:
    """Names of the features, numbered where they have none."""
    from rankwise.explanations._row import feature_names

    return feature_names(model)


def column_of(model: Any, label: Any) -> int:
    """The column of a label."""
    from rankwise.explanations._row import find_label

    return find_label(model, label, "label")


def is_of_trees(model: Any) -> bool:
    """Whether the model is a tree or a forest of this package."""
    from rankwise.tree._base import BaseTreeRanker

    return isinstance(model, BaseTreeRanker)


def positions_by_tree(model: Any, row: Any) -> np.ndarray:
    """Positions that the trees of each sample predict for one row, (n_rankings, n_labels)."""
    from rankwise.ranker import positions_by_pairwise

    leaves = model._trees.leaves(np.asarray(row, dtype=np.float64))
    values = [model._sum_of_values(part)[0] for part in np.split(leaves, model._n_rankings())]
    if model.decomposition_ == "pairwise":
        return positions_by_pairwise(model._shares_of(np.array(values)))
    return np.array(values)
