"""The two pictures of the demo: how sure the order of one row is, and where labels stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankwise._extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_certainty(
    chances: np.ndarray, labels: Sequence[str], names: Sequence[str], title: str, path: Path
) -> None:
    """Draw the chance that the row label stands before the column label, in the order of `names`."""
    order = [labels.index(name) for name in names]
    chances = chances[np.ix_(order, order)]
    figure = _figure(6.4, 5.4)
    axes = figure.add_subplot()
    shown = np.ma.masked_array(chances, np.eye(len(names), dtype=bool))
    image = axes.imshow(shown, cmap="RdBu", vmin=0, vmax=1)
    for i, j in np.argwhere(~np.eye(len(names), dtype=bool)):
        # White on the dark ends of the scale, black on its pale middle.
        ink = "white" if abs(chances[i, j] - 0.5) > 0.3 else "black"
        axes.text(j, i, f"{chances[i, j]:.0%}", ha="center", va="center", color=ink, fontsize=9)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("... stands before this one")
    axes.set_ylabel("chance that this outing ...")
    axes.set_title(title, fontsize=11)
    figure.colorbar(image, ax=axes, fraction=0.046, pad=0.04)
    figure.savefig(path, dpi=150)


def draw_positions(positions: np.ndarray, labels: Sequence[str], path: Path) -> None:
    """Draw where each label stands over all days: median, and the middle 50 and 90 percent."""
    order = np.argsort(np.median(positions, axis=0), kind="stable")
    low, left, middle, right, high = np.percentile(positions, [5, 25, 50, 75, 95], axis=0)[:, order]
    figure = _figure(6.4, 4.0)
    axes = figure.add_subplot()
    y = np.arange(len(order))
    axes.hlines(y, low, high, color="tab:blue", linewidth=2, label="middle 90 % of days")
    axes.hlines(y, left, right, color="tab:blue", linewidth=8, alpha=0.5, label="middle 50 %")
    axes.plot(middle, y, "o", color="black", label="median")
    axes.set_yticks(y, [labels[j] for j in order])
    axes.invert_yaxis()
    axes.set_xlim(0.8, len(labels) + 0.2)
    axes.set_xlabel("predicted position (1 = first)")
    axes.set_title("Where each outing stands, over new days", fontsize=11)
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def _figure(width: float, height: float) -> Figure:
    # Without pyplot: no window, no global state, whatever backend the user has set.
    require("matplotlib.backends.backend_agg", "drawing pictures")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
