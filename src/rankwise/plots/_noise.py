"""The paper's figures: tau against the noise of the training data, and two kinds of noise compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._canvas import COLOURS, get_axes, tidy
from rankwise._naming import shown
from rankwise._parameters import check_choice, is_dict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The paper's own colours, Paul Tol's bright scheme: learner and family.
_PAPER_COLOURS = {
    ("SDT", "SFN"): "#228833",
    ("SDT", "LFN"): "#CCBB44",
    ("DT", "SFN"): "#4477AA",
    ("DT", "LFN"): "#66CCEE",
    ("RF", "SFN"): "#AA3377",
    ("RF", "LFN"): "#EE6677",
    ("Level", "SFN"): COLOURS[1],
    ("Level", "LFN"): COLOURS[4],
    ("Honest", "SFN"): COLOURS[2],
    ("Honest", "LFN"): COLOURS[5],
}
_NAMES = {
    "RF": "random forest",
    "DT": "fully grown tree",
    "SDT": "shallow tree",
    "Level": "Level-Splits tree",
    "Honest": "honest forest",
}
_MARKERS = {"RF": "o", "DT": "o", "SDT": "o", "Level": "s", "Honest": "D"}
_OPERATORS = {"Gaussian": COLOURS[0], "Mallows": COLOURS[1]}


@check_arguments
def noise_levels(
    records: Iterable[Mapping[str, Any]],
    *,
    x: str = "alpha",
    on: str = "ranks",
    learners: tuple[str, ...] = ("RF", "DT", "SDT"),
    ax: Axes | None = None,
) -> Axes:
    """Draw Kendall tau of learners against the noise that they were trained with.

    Parameters
    ----------
    records : iterable of dicts
        One per family, level and learner, as a reproduction of the paper gathers them: ``family``,
        ``operator``, ``learner``, ``alpha``, ``beta``, ``beta_on_orders``, ``tau``, ``tau_on_orders``.
    x : {"alpha", "beta"}
        Share of rankings that noise changed, or mean tau of clean and noisy rankings.
    on : {"ranks", "orders"}
        Which reading of tau, and of beta.
    learners : tuple of str
        Which learners.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        One mark per level, filled for SFN and hollow for LFN; against beta also a dotted line where
        tau equals beta.

    Examples
    --------
    >>> records = [
    ...     {"family": family, "operator": "Gaussian", "learner": learner, "alpha": alpha,
    ...      "beta": 1 - alpha, "beta_on_orders": 1 - alpha, "tau": tau - loss * alpha,
    ...      "tau_on_orders": 0.5}
    ...     for family in ("SFN", "LFN")
    ...     for learner, tau, loss in (("RF", 0.8, 0.2), ("DT", 0.6, 0.5), ("SDT", 0.4, 0.0))
    ...     for alpha in (0.1, 0.3, 0.5, 0.7)
    ... ]
    >>> ax = noise_levels(records)
    >>> ax.get_ylabel()
    'Kendall tau on ranks'
    """
    place, tau = _columns(x, on)
    for learner in learners:
        check_choice("learners", learner, tuple(_NAMES))
    records = _with(records, "operator", "learner", "family", place, tau)
    ax = get_axes(ax)
    records = [r for r in records if r["operator"] != "Mallows"]
    for learner, family in itertools.product(learners, ("SFN", "LFN")):
        levels = [r for r in records if (r["learner"], r["family"]) == (learner, family)]
        if levels:
            ax.plot(
                [r[place] for r in levels],
                [r[tau] for r in levels],
                linestyle="none",
                marker=_MARKERS[learner],
                markersize=5,
                color=_PAPER_COLOURS[learner, family],
                # hollow marks tell the families apart where colours cannot be seen
                markerfacecolor="none" if family == "LFN" else _PAPER_COLOURS[learner, family],
                label=f"{_NAMES[learner]}, {family}",
            )
    x_label = "alpha: share of training rankings changed by noise"
    if x == "beta":
        ax.plot([0, 1], [0, 1], color="grey", linestyle=":", label="tau = beta", zorder=0)
        x_label = f"beta: mean tau of clean and noisy rankings, on {on}"
    _finish(ax, x_label, f"Kendall tau on {on}")
    return ax


@check_arguments
def noise_operators(
    records: Iterable[Mapping[str, Any]],
    family: str,
    learner: str,
    *,
    on: str = "ranks",
    ax: Axes | None = None,
) -> Axes:
    """Draw tau of one learner under Gaussian and under Mallows noise of the same alpha.

    Parameters
    ----------
    records : iterable of dicts
        As in `noise_levels`, with ``mallows_on`` (``"ranks"`` or ``"orders"``) and the standard
        deviations ``tau_sd`` and ``tau_on_orders_sd``.
    family, learner : str
        Which panel.
    on : {"ranks", "orders"}
        Which reading of tau and beta; Mallows noise is taken on the same.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Lines are means, bands one standard deviation, dotted lines beta.

    Examples
    --------
    >>> records = [
    ...     {"family": "SFN", "operator": operator, "mallows_on": on, "learner": "RF", "alpha": alpha,
    ...      "beta": 1 - alpha, "beta_on_orders": 0.5, "tau": 0.8 - loss * alpha, "tau_sd": 0.01,
    ...      "tau_on_orders": 0.5, "tau_on_orders_sd": 0.02}
    ...     for operator, on, loss in (("Gaussian", None, 0.2), ("Mallows", "ranks", 0.3))
    ...     for alpha in (0.1, 0.3, 0.5, 0.7)
    ... ]
    >>> ax = noise_operators(records, "SFN", "RF")
    >>> ax.get_title()
    'SFN: random forest'
    """
    beta, tau = _columns("beta", on)
    check_choice("learner", learner, tuple(_NAMES))
    columns = ("alpha", tau, f"{tau}_sd", beta)
    records = _with(records, "family", "learner", "operator", "mallows_on", *columns)
    ax = get_axes(ax)
    wanted_on = {"Gaussian": None, "Mallows": on}
    records = sorted(records, key=lambda r: r["alpha"])
    for operator, colour in _OPERATORS.items():
        wanted = (family, learner, operator, wanted_on[operator])
        keys = ("family", "learner", "operator", "mallows_on")
        levels = [r for r in records if tuple(r[key] for key in keys) == wanted]
        if not levels:
            continue
        alpha, mean, sd, betas = (np.array([r[column] for r in levels]) for column in columns)
        ax.plot(alpha, mean, color=colour, label=f"{operator}: tau")
        ax.fill_between(alpha, mean - sd, mean + sd, color=colour, alpha=0.22, linewidth=0)
        ax.plot(alpha, betas, color=colour, linestyle=":", label=f"{operator}: beta")
    ax.set_title(f"{family}: {_NAMES[learner]}", fontsize=10)
    _finish(ax, "alpha", f"tau on {on}")
    return ax


def _columns(x: str, on: str) -> tuple[str, str]:
    """The columns of the horizontal axis and of tau."""
    check_choice("x", x, ("alpha", "beta"))
    check_choice("on", on, ("ranks", "orders"))
    suffix = "_on_orders" if on == "orders" else ""
    return ("alpha" if x == "alpha" else f"beta{suffix}"), f"tau{suffix}"


def _with(records: Iterable[Any], *columns: str) -> list[Mapping[str, Any]]:
    """The records as a list, each of which has the columns."""
    found = list(records)
    for i, record in enumerate(found):
        if not is_dict(record):
            raise TypeError(f"record {i} is {shown(record)}; give dicts")
        lacking = next((column for column in columns if column not in record), None)
        if lacking is not None:
            raise ValueError(f"record {i} has no {lacking!r}; give {', '.join(columns)}")
    return found


def _finish(ax: Axes, x_label: str, y_label: str) -> None:
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(min(-0.02, ax.get_ylim()[0]), 1.02)
    ax.grid(alpha=0.3)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=8, framealpha=0.7, edgecolor="none")
    tidy(ax)
