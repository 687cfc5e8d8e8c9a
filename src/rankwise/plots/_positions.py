"""Where labels stand: in one row as predicted, and over all rows of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._canvas import (
    COLOURS,
    font_for,
    get_axes,
    legend_below,
    letters_for,
    plain,
    room_for,
    shorten_all,
    tidy,
)
from rankwise._fitted import label_texts, one_row
from rankwise._parameters import check_names
from rankwise.plots._models import is_of_trees, positions_by_tree
from rankwise.rankings import check_rankings, label_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Half the shortest bar, in positions.
HALF_TICK = 0.03


def row_positions(model: Any, x: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the predicted position of each label in one row, with its spread.

    The spread of a forest is that of its trees: the line holds the middle 80 percent of the positions
    that they predict. Other models have one prediction; the line is then one standard deviation to
    either side, from the numbers p of `predict_pairwise`: the square root of the sum of p (1 - p)
    over the other labels, as if comparisons were independent; it ends at the first and last position,
    and has no length where all of them are 0 or 1. Labels that are predicted as tied stand on a band.

    Parameters
    ----------
    model : ranker
        Any fitted estimator of this package.
    x : array-like of shape (n_features,) or (1, n_features)
        The row.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import row_positions
    >>> data = rw.datasets.load("solvents")
    >>> model = rw.ForestRanker(20, random_state=0).fit(data.X[3:], data.Y[3:])
    >>> ax = row_positions(model, data.X.loc["S-02"])
    >>> ax.get_xlabel()
    'predicted position (1 = first)'
    """
    row = one_row(model, x)
    positions = np.asarray(model.predict_positions(row))[0]
    ranks = np.asarray(model.predict(row))[0]
    # within a tie by position
    order = np.lexsort((positions, ranks))
    if is_of_trees(model) and model._n_rankings() > 1:
        low, high = np.percentile(positions_by_tree(model, row), [10, 90], axis=0)
        meaning = f"middle 80 % of {model._n_rankings()} trees"
    else:
        before = np.asarray(model.predict_pairwise(row))[0]
        # the diagonal of 1/2 is no comparison
        sd = np.sqrt(np.maximum((before * (1 - before)).sum(axis=1) - 0.25, 0))
        low, high = np.clip([positions - sd, positions + sd], 1, len(sd))
        meaning = "one sd, from the certainty of pairs"
    names = label_texts(model)
    ax = _new_axes(ax, names)
    y = np.arange(len(order))
    _draw_ties(ax, ranks[order])
    ax.hlines(y, low[order], high[order], color=COLOURS[0], linewidth=2.5, label=meaning)
    ax.plot(positions[order], y, "o", color=COLOURS[1], label="predicted")
    _finish(ax, [names[j] for j in order], "predicted position (1 = first)")
    return ax


def _draw_ties(ax: Axes, ranks: np.ndarray) -> None:
    """Draw a band behind the lines of each bucket of tied labels; ranks are in order."""
    meaning = "tied"
    for rank, size in zip(*np.unique(ranks, return_counts=True), strict=True):
        if size > 1:
            first = int(np.searchsorted(ranks, rank))
            ends = (first - 0.4, first + size - 0.6)
            ax.axhspan(*ends, color=COLOURS[5], alpha=0.2, linewidth=0, label=meaning)
            meaning = ""


def label_profile(
    Y: ArrayLike, labels: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw where each label stands over the data: its mean position and how it spreads.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied (tied labels share their mean position).
    labels : sequence of str, optional
        Names of the labels; by default the columns of a DataFrame.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The best label on top; the number of rows that rank a label beside its name. Where labels are
        missing, a position among those observed is stretched to 1 .. n_labels, and rows that rank a
        label alone are left out.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import label_profile
    >>> ax = label_profile(rw.datasets.load("solvents").Y)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['toluene (61)', 'DMF (68)', 'THF (63)', 'ethanol (67)', 'water (65)']
    """
    # rows that rank one label are left out here, as the docstring says
    ranks = check_rankings(Y, warn=False)
    names = _names(labels, Y, ranks.shape[1])
    columns = [column[~np.isnan(column)] for column in stretched_positions(ranks).T]
    counts = [len(column) for column in columns]
    means = np.array([column.mean() if len(column) else np.inf for column in columns])
    order = np.argsort(means, kind="stable")
    ax = _new_axes(ax, names)
    spread = [
        np.percentile(columns[j], [5, 25, 75, 95]) if counts[j] else [np.nan] * 4 for j in order
    ]
    low, left, right, high = np.array(spread).T
    y = np.arange(len(order))
    ax.hlines(y, low, high, color=COLOURS[0], linewidth=1.5, label="middle 90 % of rows")
    # half of the rows may agree: a bar without length would not be seen
    longer = np.where(left == right, HALF_TICK, 0.0)
    wide: dict[str, Any] = {"color": COLOURS[0], "linewidth": 7, "alpha": 0.45}
    ax.hlines(y, left - longer, right + longer, label="middle 50 %", **wide)
    seen = np.isfinite(means[order])
    ax.plot(means[order][seen], y[seen], "o", color=COLOURS[1], label="mean")
    stretched = ", stretched where labels are missing" if np.isnan(ranks).any() else ""
    after = [f" ({counts[j]:,})" for j in order]
    _finish(ax, [names[j] for j in order], f"position (1 = first{stretched})", after)
    return ax


def stretched_positions(ranks: np.ndarray) -> np.ndarray:
    """Positions among the observed labels, stretched to 1 .. n_labels; ties share the mean."""
    # imported here: it takes longer than all of matplotlib, and curves do without
    from scipy.stats import rankdata

    k = ranks.shape[1]
    places = rankdata(ranks, method="average", axis=1, nan_policy="omit")
    others = (~np.isnan(ranks)).sum(axis=1, keepdims=True) - 1
    stretch = np.divide((k - 1.0), others, out=np.full(others.shape, np.nan), where=others > 0)
    return np.where(np.isnan(ranks), np.nan, 1 + (places - 1) * stretch)


def _names(labels: Sequence[str] | None, Y: Any, k: int) -> list[str]:
    found = label_names(Y) if labels is None else check_names("labels", labels)
    if found is None:
        return [f"label {j}" for j in range(k)]
    if len(found) != k:
        raise ValueError(f"labels has {len(found)} names, but Y has {k} columns; name each column")
    return found


def _new_axes(ax: Axes | None, names: Sequence[str]) -> Axes:
    return get_axes(ax, 6.4 + room_for(names), 1.7 + 0.3 * float(np.clip(len(names), 4, 40)))


def _finish(ax: Axes, names: Sequence[str], x_label: str, after: Sequence[str] = ()) -> None:
    """Write the names, each with what comes after it, as long as there is room."""
    from matplotlib.ticker import MaxNLocator

    k = len(names)
    size = font_for(ax, k)
    shown = shorten_all(names, letters_for(ax, size))
    texts = [plain(name + more) for name, more in zip(shown, after or [""] * k, strict=True)]
    ax.set_yticks(range(k), texts, fontsize=size)
    ax.set_ylim(k - 0.4, -0.6)
    ax.set_xlim(0.8 if k > 2 else 0.9, k + (0.2 if k > 2 else 0.1))
    # there is no place between the first and the second to be marked
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=2))
    ax.set_xlabel(x_label)
    ax.grid(axis="x", alpha=0.3)
    tidy(ax)
    legend_below(ax)
