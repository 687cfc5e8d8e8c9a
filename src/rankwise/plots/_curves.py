"""Curves of a score: by the number of training rows, or by the share of missing labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._canvas import COLOURS, get_axes, line_style, log_scale, plain, shorten, tidy
from rankwise._extras import require
from rankwise._naming import shown
from rankwise._parameters import check_flag, is_dict, is_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more curves the legend of a new figure stands beside it, where it covers nothing.
MOST_INSIDE = 4

# More curves in one picture are a tangle: a new figure gives each a panel.
MOST_TOGETHER, PANELS_IN_ROW = 8, 4

# Bands of more curves cover each other.
MOST_BANDS = 6

Curve = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def learning_curve(
    curves: Mapping[str, Sequence[Any]],
    *,
    x_label: str = "training rows",
    y_label: str = "Kendall tau",
    log_x: bool = False,
    log_y: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw how a score changes with the amount of training data.

    Parameters
    ----------
    curves : dict
        From the name of a curve to ``(x, mean, sd)``, each a sequence of numbers; sd may be None or
        left out. A mean that is NaN leaves a gap. Points are sorted by x.
    x_label, y_label : str
        Names of the axes.
    log_x, log_y : bool
        Logarithmic axes; values must then be above 0.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        One line per curve; the band around it is the mean plus and minus one sd. More than six
        curves have no bands, and stand in the legend as their right ends do in the picture. In a new
        figure more than eight get a panel each, with the others in grey behind it, the highest at
        their right ends first; the Axes of the first are returned.

    Examples
    --------
    >>> from rankwise.plots import learning_curve
    >>> rows = [30, 100, 300, 1000]
    >>> forest, pairs = ([0.35, 0.52, 0.66, 0.76], [0.12, 0.07, 0.04, 0.02]), [0.45, 0.58, 0.63, 0.64]
    >>> ax = learning_curve({"forest": (rows, *forest), "pairs": (rows, pairs)}, log_x=True)
    >>> ax.get_ylabel()
    'Kendall tau'
    """
    checked = check_curves(curves, log_x, log_y)
    is_new = ax is None
    if is_new and len(checked) > MOST_TOGETHER:
        return _panels(checked, (x_label, y_label), log_x, log_y)
    ax = get_axes(ax)
    floor = _lowest_above_zero(checked) if log_y else -np.inf
    for number, (name, (x, mean, sd)) in enumerate(checked.items()):
        style = line_style(number)
        ax.plot(x, mean, label=plain(name), markersize=5, **style)
        if sd is not None and len(checked) <= MOST_BANDS:
            # a logarithmic axis has no place below 0: the band ends at the lowest value drawn
            low = np.maximum(mean - sd, floor)
            ax.fill_between(x, low, mean + sd, color=style["color"], alpha=0.22, linewidth=0)
    if log_x:
        log_scale(ax, "x")
    if log_y:
        log_scale(ax, "y")
    ax.set_xlabel(plain(x_label))
    ax.set_ylabel(plain(y_label))
    ax.grid(alpha=0.3)
    if is_new and len(checked) > MOST_INSIDE:
        lines = ax.get_lines()
        if len(checked) > MOST_BANDS:
            lines = sorted(lines, key=_right_end, reverse=True)
        ax.legend(handles=lines, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        ax.legend(framealpha=0.7, edgecolor="none")
    tidy(ax)
    return ax


def _panels(checked: Mapping[str, Curve], names: tuple[str, str], log_x: bool, log_y: bool) -> Axes:
    """Draw each curve in a panel of its own, before all others in grey."""
    require("matplotlib", "drawing plots")
    from matplotlib import pyplot

    order = sorted(checked, key=lambda name: _last(checked[name][1]), reverse=True)
    n_rows = -(-len(order) // PANELS_IN_ROW)
    figure, grid = pyplot.subplots(
        n_rows, PANELS_IN_ROW, sharex=True, sharey=True, squeeze=False, layout="constrained",
        figsize=(2.2 * PANELS_IN_ROW, 0.5 + 1.6 * n_rows),
    )  # fmt: skip
    panels = grid.ravel()
    floor = _lowest_above_zero(checked) if log_y else -np.inf
    for panel, name in zip(panels, order, strict=False):
        for x, mean, _ in checked.values():
            panel.plot(x, mean, color=COLOURS[5], linewidth=0.7, alpha=0.5, zorder=1)
        x, mean, sd = checked[name]
        panel.plot(x, mean, color=COLOURS[0], linewidth=2, marker="o", markersize=3, label=name)
        if sd is not None:
            low = np.maximum(mean - sd, floor)
            panel.fill_between(x, low, mean + sd, color=COLOURS[0], alpha=0.22, linewidth=0)
        panel.set_title(plain(shorten(name, 28)), fontsize=9)
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.3)
        tidy(panel)
    for which, is_log in (("x", log_x), ("y", log_y)):
        if is_log:
            for panel in panels:
                log_scale(panel, which)
    for panel in panels[len(order) :]:
        panel.set_visible(False)
    # the panels above those that are left out show the numbers in their place
    for panel in panels[max(0, len(order) - PANELS_IN_ROW) : len(order)]:
        panel.tick_params(labelbottom=True)
    x_name, y_name = (plain(name) for name in names)
    figure.supxlabel(x_name, fontsize=10)
    figure.supylabel(y_name, fontsize=10)
    first: Axes = panels[0]
    return first


def _right_end(line: Any) -> float:
    """The last value of a line that is not NaN."""
    return _last(np.asarray(line.get_ydata(), dtype=float))


def _last(values: np.ndarray) -> float:
    seen = values[~np.isnan(values)]
    return float(seen[-1]) if len(seen) else -np.inf


def tau_by_missing(curves: Mapping[str, Sequence[Any]], ax: Axes | None = None) -> Axes:
    """Draw how Kendall tau falls as more labels are missing.

    Parameters
    ----------
    curves : dict
        As in `learning_curve`; x is the share of missing labels, from 0 to 1.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The share is shown in percent.

    Examples
    --------
    >>> from rankwise.plots import tau_by_missing
    >>> missing, pairs, filled = [0, 0.3, 0.6], [0.8, 0.75, 0.66], [0.8, 0.6, 0.3]
    >>> ax = tau_by_missing({"by pairs": (missing, pairs), "filled": (missing, filled)})
    >>> ax.get_xlabel()
    'missing labels (percent)'
    """
    checked = check_curves(curves)
    in_percent = {}
    for name, (x, mean, sd) in checked.items():
        bad = x[(x < 0) | (x > 1)]
        if len(bad):
            raise ValueError(
                f"curve {name!r}: the missing rate {bad[0]:g} is not a share from 0 to 1; "
                "write 0.3 for 30 percent"
            )
        in_percent[name] = (100 * x, mean, sd)
    return learning_curve(in_percent, x_label="missing labels (percent)", ax=ax)


def check_curves(
    curves: Mapping[str, Sequence[Any]], log_x: bool = False, log_y: bool = False
) -> dict[str, Curve]:
    """Curves as sorted float arrays; an error names the curve and the point."""
    check_flag("log_x", log_x)
    check_flag("log_y", log_y)
    if not is_dict(curves):
        raise TypeError(
            f"curves must be a dict from name to (x, mean, sd), got {type(curves).__name__}"
        )
    if not curves:
        raise ValueError("curves is empty; give at least one: {name: (x, mean, sd)}")
    return {str(name): _check_curve(name, c, log_x, log_y) for name, c in curves.items()}


def _check_curve(name: Any, curve: Sequence[Any], log_x: bool, log_y: bool) -> Curve:
    if (
        not isinstance(curve, Sequence | np.ndarray)
        or not is_list(curve)
        or len(curve) not in (2, 3)
    ):
        raise ValueError(f"curve {name!r} must be (x, mean) or (x, mean, sd), got {shown(curve)}")
    x, mean = _numbers(name, "x", curve[0]), _numbers(name, "mean", curve[1])
    sd = None if len(curve) == 2 or curve[2] is None else _numbers(name, "sd", curve[2])
    for part, values in (("mean", mean), ("sd", sd)):
        if values is not None and len(values) != len(x):
            raise ValueError(
                f"curve {name!r} has {len(x)} values of x but {len(values)} of {part}; each point "
                "needs both"
            )
    if np.isnan(x).any():
        raise ValueError(f"curve {name!r}: x of point {np.isnan(x).argmax()} is NaN; leave it out")
    if sd is not None and (sd < 0).any():
        raise ValueError(f"curve {name!r}: sd of point {(sd < 0).argmax()} is below 0")
    for part, values, is_log in (("x", x, log_x), ("mean", mean, log_y)):
        if is_log and (values <= 0).any():
            p = (values <= 0).argmax()
            raise ValueError(
                f"curve {name!r}: {part} of point {p} is {values[p]:g}; a logarithmic axis takes "
                "values above 0 only"
            )
    order = np.argsort(x, kind="stable")
    return x[order], mean[order], None if sd is None else sd[order]


def _numbers(name: Any, part: str, values: Any) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"curve {name!r}: {part} must be a sequence of numbers") from error
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(
            f"curve {name!r}: {part} must be a flat sequence of at least one number, got shape "
            f"{numbers.shape}"
        )
    if np.isinf(numbers).any():
        raise ValueError(f"curve {name!r}: {part} of point {np.isinf(numbers).argmax()} is inf")
    return numbers


def _lowest_above_zero(curves: Mapping[str, Curve]) -> float:
    """The lowest value above 0 of means and bands."""
    seen = []
    for _, mean, sd in curves.values():
        low = mean if sd is None else np.where(mean - sd > 0, mean - sd, mean)
        seen += low[~np.isnan(low)].tolist()
    return min(seen, default=-np.inf)
