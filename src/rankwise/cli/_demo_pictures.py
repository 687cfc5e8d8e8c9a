"""The two pictures of the demo: how sure the order of one row is, and where labels stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankwise._extras import require
from rankwise.plots import label_profile, pair_chances

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_certainty(
    shares: np.ndarray, labels: Sequence[str], names: Sequence[str], title: str, path: Path
) -> None:
    """Draw the share of trees that put row label before column label, in the order of `names`."""
    order = [labels.index(name) for name in names]
    figure = _figure(6.4, 5.4)
    square, axes = shares[np.ix_(order, order)], figure.add_subplot()
    pair_chances(square, names, axes, name="share of trees").set_ylabel("this outing ...")
    axes.set_title(title, fontsize=11)
    figure.savefig(path, dpi=150)


def draw_positions(ranks: np.ndarray, labels: Sequence[str], path: Path) -> None:
    """Draw where each label is predicted to stand over all days."""
    figure = _figure(6.4, 4.0)
    axes = label_profile(ranks, labels, figure.add_subplot())
    axes.set_xlabel("predicted position (1 = first)")
    # the title stands above the legend
    figure.suptitle("Where each outing stands, over new days", fontsize=11)
    figure.savefig(path, dpi=150)


def _figure(width: float, height: float) -> Figure:
    # Without pyplot: no window, no global state, whatever backend the user has set.
    require("matplotlib.backends.backend_agg", "drawing pictures")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
