"""Which of several methods differ over many data sets: Nemenyi's test as a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwise._canvas import COLOURS, get_axes, plain, shorten_all, text_colour
from rankwise._naming import shown
from rankwise._parameters import is_dict, is_real, is_whole
from rankwise.validation import nemenyi

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Heights, downward from the axis at 0: the first bar, from bar to bar, from name to name.
FIRST_BAR, BAR_STEP, NAME_STEP = 0.45, 0.3, 0.55
MOST_TICKS = 15


def critical_difference(
    average_ranks: Mapping[str, float],
    n_datasets: int,
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks of methods, and join those that Nemenyi's test does not tell apart.

    The diagram of Demšar (2006): the best method is on the right, and the length marked CD is the
    smallest difference of average ranks that is significant at level `alpha`.

    Parameters
    ----------
    average_ranks : dict
        From the name of a method to its average rank over the data sets, 1 = best.
    n_datasets : int
        How many data sets the ranks are averages of.
    alpha : float, default=0.05
        Level of the test.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from rankwise.plots import critical_difference
    >>> ax = critical_difference({"forest": 1.4, "pairs": 1.9, "floor": 2.7}, n_datasets=16)
    >>> ax.get_title()
    'average rank'
    """
    names, ranks = _check(average_ranks, n_datasets, alpha)
    k = len(names)
    cd = nemenyi(k, int(n_datasets), float(alpha))
    bars = groups(ranks, cd)
    ax = get_axes(ax, 8.4, 1.6 + 0.15 * len(bars) + 0.24 * ((k + 1) // 2))
    ax.set_axis_off()
    _draw_scale(ax, k, cd, alpha)
    bottom = FIRST_BAR
    for first, last in bars:
        ax.plot(
            [ranks[first] - 0.03, ranks[last] + 0.03], [bottom, bottom], color=COLOURS[1],
            linewidth=4, solid_capstyle="butt", gid="group",
        )  # fmt: skip
        bottom += BAR_STEP
    _draw_names(ax, names, ranks, bottom)
    ax.set_title("average rank", fontsize=10)
    return ax


def groups(ranks: np.ndarray, cd: float) -> list[tuple[int, int]]:
    """Longest runs (first, last) of sorted ranks that are not significantly different."""
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + cd, side="left")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _check(
    average_ranks: Mapping[str, float], n_datasets: int, alpha: float
) -> tuple[list[str], np.ndarray]:
    if not is_dict(average_ranks):
        raise TypeError(
            f"average_ranks must be a dict from name to rank, got {type(average_ranks).__name__}"
        )
    k = len(average_ranks)
    if k < 2:
        raise ValueError(f"average_ranks has {k} methods; a comparison needs at least 2")
    for name, rank in average_ranks.items():
        if not is_real(rank) or not 1 <= rank <= k:
            raise ValueError(
                f"method {str(name)!r} has average rank {rank!r}; with {k} methods it is a number "
                f"from 1 to {k}"
            )
    if not is_whole(n_datasets) or n_datasets < 1:
        raise ValueError(f"n_datasets must be a whole number from 1 up, got {shown(n_datasets)}")
    if not is_real(alpha) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {shown(alpha)}")
    names = sorted(average_ranks, key=lambda name: float(average_ranks[name]))
    return shorten_all(names), np.array([float(average_ranks[name]) for name in names])


def _draw_scale(ax: Axes, k: int, cd: float, alpha: float) -> None:
    ink = text_colour()
    # best on the right, as in the paper
    ax.set_xlim(k + 0.1, 0.9)
    ax.plot([1, k], [0, 0], color=ink, linewidth=1.2)
    for rank in range(1, k + 1, -(-k // MOST_TICKS)):
        ax.plot([rank, rank], [0, -0.15], color=ink, linewidth=1.2)
        ax.text(rank, -0.22, str(rank), ha="center", va="bottom", fontsize=9)
    shown = min(cd, k - 1)
    ax.plot([k, k - shown], [-0.95, -0.95], color=ink, linewidth=1.2, marker="|", gid="cd")
    more = " (longer than the axis)" if cd > k - 1 else ""
    ax.text(
        k - shown / 2, -1.05, f"CD = {cd:.2f}{more}, level {alpha:g}", ha="center", va="bottom",
        fontsize=9,
    )  # fmt: skip


def _draw_names(ax: Axes, names: list[str], ranks: np.ndarray, top: float) -> None:
    """The better half on the right, the other on the left; lines never cross."""
    ink, k = text_colour(), len(names)
    n_right = (k + 1) // 2
    for p, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        right = p < n_right
        line = p if right else k - 1 - p
        y = top + NAME_STEP * (line + 0.3)
        edge = 0.9 if right else k + 0.1
        ax.plot([rank, rank, edge], [0, y, y], color=ink, linewidth=0.9)
        ax.annotate(
            plain(f"{name} ({rank:.2f})"), (edge, y), xytext=(4 if right else -4, 0),
            textcoords="offset points", ha="left" if right else "right", va="center", fontsize=9,
            annotation_clip=False,
        )  # fmt: skip
    ax.set_ylim(top + NAME_STEP * (n_right + 0.1), -1.7)
