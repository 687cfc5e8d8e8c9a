"""How examples of the gallery are drawn."""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def start_plainly(gallery_conf: dict[str, Any], name: str) -> None:
    """Start every example from matplotlib's defaults, whatever the one before it has set."""
    mpl.rcdefaults()
    mpl.use("Agg")
    mpl.rcParams.update({"savefig.dpi": 120, "figure.constrained_layout.use": True})
    warnings.simplefilter("default", UserWarning)


def figures_without_pyplot(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **options: Any
) -> str:
    """Save the figures that a function made for itself, such as ``Report.plot``; each once.

    Those that pyplot still manages are left to the gallery's own scraper, which comes next and
    closes them: from matplotlib 3.11 on they look afterwards as if pyplot had never known them.
    """
    for number in plt.get_fignums():
        plt.figure(number)._was_shown = True
    paths = []
    for value in list(block_vars["example_globals"].values()):
        if isinstance(value, Figure) and not hasattr(value, "_was_shown"):
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=120)
            value._was_shown = True
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])
