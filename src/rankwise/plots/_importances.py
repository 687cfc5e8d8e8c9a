"""Which features decide where each label stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._canvas import SEQUENTIAL, get_axes
from rankwise._fitted import check_ranker, feature_names, label_texts
from rankwise._naming import shown
from rankwise._parameters import is_whole
from rankwise.plots._heat import draw_heat, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Labels and features up to which cells have room for numbers.
MOST_WITH_NUMBERS = 15


def label_importances(model: Any, top: int = 15, ax: Axes | None = None) -> Axes:
    """Draw how much each feature decides about each label, as a heat map.

    Parameters
    ----------
    model : TreeRanker or ForestRanker
        Or any fitted ranker with `label_importances_`.
    top : int, default=15
        How many features to show, those with the largest mean over the labels first.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Each row is one label's ``label_importances_``, which adds up to 1 over all features.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import label_importances
    >>> data = rw.datasets.load("solvents")
    >>> model = rw.ForestRanker(20, random_state=0).fit(data.X, data.Y)
    >>> ax = label_importances(model, top=2)
    >>> ax.get_xlabel()
    'feature (the first 2 of 3)'
    """
    check_ranker(model)
    if not hasattr(model, "label_importances_"):
        raise TypeError(
            f"{type(model).__name__} has no label_importances_; TreeRanker and ForestRanker have"
        )
    if not is_whole(top) or top < 1:
        raise ValueError(f"top must be a whole number from 1 up, got {shown(top)}")
    importances = np.asarray(model.label_importances_)
    order = np.argsort(-importances.mean(axis=0), kind="stable")[: int(top)]
    names, labels = feature_names(model), label_texts(model)
    features = [names[f] for f in order]
    ax = get_axes(ax, *size_of(labels, features))
    draw_heat(
        ax, importances[:, order], labels, features, cmap=SEQUENTIAL,
        limits=(0, max(float(importances.max()), 1e-9)), number="{:.0%}",
        bar_label="share of the label", most_with_numbers=MOST_WITH_NUMBERS,
    )  # fmt: skip
    is_cut = len(order) < len(names)
    ax.set_xlabel(f"feature (the first {len(order)} of {len(names)})" if is_cut else "feature")
    ax.set_ylabel("label")
    return ax
