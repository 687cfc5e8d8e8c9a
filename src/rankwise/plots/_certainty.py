"""How sure an order is, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._canvas import DIVERGING, get_axes
from rankwise._fitted import label_texts, one_row
from rankwise._parameters import check_names, check_numbers
from rankwise.plots._heat import draw_heat, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Labels up to which cells have room for numbers.
MOST_WITH_NUMBERS = 12


def pairwise_certainty(model: Any, x: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw how sure a model is that one label stands before another, for one row.

    The numbers are those of `predict_pairwise`: of trees and forests shares of votes, not chances.

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
        Labels are sorted by predicted position, so that a sure ranking is orange above the diagonal
        and purple below. Up to 12 labels, the numbers stand in the cells.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import pairwise_certainty
    >>> data = rw.datasets.load("solvents")
    >>> model = rw.ForestRanker(20, random_state=0).fit(data.X[3:], data.Y[3:])
    >>> ax = pairwise_certainty(model, data.X.loc["S-02"])
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['toluene', 'THF', 'DMF', 'ethanol', 'water']
    """
    row = one_row(model, x)
    certainty = np.asarray(model.predict_pairwise(row))[0]
    order = np.argsort(np.asarray(model.predict(row))[0], kind="stable")
    names = np.array(label_texts(model))[order].tolist()
    return pair_chances(certainty[np.ix_(order, order)], names, ax, name="certainty")


def pair_chances(
    chances: ArrayLike,
    labels: Sequence[str] | None = None,
    ax: Axes | None = None,
    *,
    name: str = "chance",
) -> Axes:
    """Draw chances, or shares, that one label stands before another, in the order given.

    Parameters
    ----------
    chances : array-like of shape (n_labels, n_labels)
        Of row label before column label, as one row of an oracle's `pairwise` or of
        `predict_pairwise`, or as `rankwise.consensus.pairwise_matrix`; NaN cells stay empty.
    labels : sequence of str, optional
        Names of the labels.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    name : str
        What the numbers are: "share" for votes of trees or of people.

    Examples
    --------
    >>> from rankwise.plots import pair_chances
    >>> chances = [[0.5, 0.9, 0.7], [0.1, 0.5, 0.4], [0.3, 0.6, 0.5]]
    >>> ax = pair_chances(chances, ["tea", "coffee", "water"])
    >>> [text.get_text() for text in ax.texts]
    ['90%', '70%', '10%', '40%', '30%', '60%']
    """
    matrix, names = _check(chances, labels)
    np.fill_diagonal(matrix, np.nan)
    ax = get_axes(ax, *size_of(names, names))
    draw_heat(
        ax, matrix, names, names, cmap=DIVERGING, limits=(0, 1), number="{:.0%}",
        bar_label=f"{name}: row before column", most_with_numbers=MOST_WITH_NUMBERS,
    )  # fmt: skip
    ax.set_ylabel("this label ...")
    ax.set_xlabel("... stands before this one")
    return ax


def _check(chances: ArrayLike, labels: Sequence[str] | None) -> tuple[np.ndarray, list[str]]:
    matrix = check_numbers("chances", chances)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(
            f"chances must be a square matrix of at least 2 labels, got shape {matrix.shape}; of many "
            "rows pass one, such as model.predict_pairwise(X)[0]"
        )
    k = len(matrix)
    names = [f"label {j}" for j in range(k)] if labels is None else check_names("labels", labels)
    if len(names) != k:
        raise ValueError(f"labels has {len(names)} names, but chances are of {k} labels")
    bad = np.argwhere((matrix < 0) | (matrix > 1))
    if len(bad):
        i, j = bad[0]
        raise ValueError(
            f"the chance of {names[i]!r} before {names[j]!r} is {matrix[i, j]:g}; chances are from 0 "
            "to 1"
        )
    return matrix, names
