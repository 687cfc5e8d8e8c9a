"""How sure the order of one row is, pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._canvas import DIVERGING, get_axes
from rankwise.plots._heat import draw_heat, size_of
from rankwise.plots._models import check_row, labels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Labels up to which cells have room for numbers.
MOST_WITH_NUMBERS = 12


def pairwise_certainty(model: Any, x: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the chance that one label stands before another, for one row.

    Parameters
    ----------
    model : ranker
        Any fitted estimator of this package.
    x : array-like of shape (n_features,) or (1, n_features)
        The row.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Labels are sorted by predicted position, so that a sure ranking is dark above the diagonal.
        Up to 12 labels, the chances stand in the cells.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import pairwise_certainty
    >>> model = rw.TreeRanker().fit([[7], [8], [16]], [[2, 1, 3], [2, 1, 3], [1, 2, 3]])
    >>> ax = pairwise_certainty(model, [16])
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['label 0', 'label 1', 'label 2']
    """
    row = check_row(model, x)
    chances = np.array(model.predict_pairwise(row))[0]
    order = np.argsort(np.asarray(model.predict(row))[0], kind="stable")
    chances = chances[np.ix_(order, order)]
    np.fill_diagonal(chances, np.nan)
    names = [labels_of(model)[j] for j in order]
    ax = get_axes(ax, *size_of(len(names), len(names)))
    draw_heat(
        ax, chances, names, names, cmap=DIVERGING + "_r", limits=(0, 1), number="{:.0%}",
        bar_label="chance: row before column", most_with_numbers=MOST_WITH_NUMBERS,
    )  # fmt: skip
    ax.set_ylabel("chance that this label ...")
    ax.set_xlabel("... stands before this one")
    return ax
