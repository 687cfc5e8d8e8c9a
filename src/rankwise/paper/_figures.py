"""The figures of a reproduction, drawn for light and for dark pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._extras import require
from rankwise.paper._learners import ADDED, PAPER
from rankwise.paper._protocol import FAMILIES
from rankwise.paper._records import Record
from rankwise.paper._reproduce import Reproduction
from rankwise.plots import learning_curve, noise_levels, noise_operators

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = {"light": "#1c2024", "dark": "#e4e7eb"}
_SOLID = {"light": "#ffffff", "dark": "#14171a"}


@dataclass(frozen=True)
class Picture:
    """A figure: its file name, what it shows, and the files themselves."""

    name: str
    caption: str
    svg: bytes
    dark_svg: bytes
    png: bytes


def _picture(
    name: str, caption: str, size: tuple[float, float], draw: Callable[[Figure], None]
) -> Picture:
    svg, png = _render(name, size, draw, "light", ("svg", "png"))
    (dark_svg,) = _render(name, size, draw, "dark", ("svg",))
    return Picture(name, caption, svg, dark_svg, png)


def _render(
    name: str,
    size: tuple[float, float],
    draw: Callable[[Figure], None],
    scheme: str,
    kinds: tuple[str, ...],
) -> list[bytes]:
    require("matplotlib", "drawing the figures of the report")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    ink = _INK[scheme]
    colours: dict[Any, Any] = {
        "text.color": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink,
        "axes.edgecolor": ink, "axes.titlecolor": ink, "axes.facecolor": "none",
        "figure.facecolor": _SOLID[scheme], "legend.facecolor": _SOLID[scheme],
        # Equal runs give equal files.
        "svg.hashsalt": name,
    }  # fmt: skip
    files = []
    with rc_context(colours):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        for kind in kinds:
            options: dict[str, Any] = (
                {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 150}
            )
            stream = io.BytesIO()
            # A page shows through its SVG; a PNG stands alone and needs its own ground.
            figure.savefig(stream, format=kind, transparent=kind == "svg", **options)
            files.append(stream.getvalue())
            # Laid out once for all kinds: that takes half of the time.
            figure.set_layout_engine("none")
    return files


def pictures_of(result: Reproduction) -> list[Picture]:
    """Return the figures that the records of a reproduction allow."""
    noise, operators, curve = (
        result.records.get(part, [])
        for part in ("figure-noise", "figure-operators", "learning-curve")
    )
    pictures = []
    for on, reading, ending in (
        ("ranks", "as the text defines it", ""),
        ("orders", "as the programs took it", "-orders"),
    ):
        if noise:
            caption = (
                f"Mean Kendall tau on {on} ({reading}) against (a) alpha and (b) beta, for Gaussian "
                "noise. Validated on noiseless rankings."
            )
            draw = partial(_draw_noise, records=noise, on=on)
            pictures.append(_picture(f"figure-noise{ending}", caption, (11, 4.6), draw))
        if operators:
            caption = (
                f"Gaussian against Mallows noise of equal alpha, all on {on} ({reading}). Lines: "
                "mean tau; bands: one standard deviation; dotted: beta."
            )
            draw = partial(_draw_operators, records=operators, on=on)
            pictures.append(_picture(f"figure-operators{ending}", caption, (10, 10), draw))
    if any(r["learner"] in ADDED for r in noise):
        caption = (
            "Added: Level-Splits trees and honest forests, which the theory is about, beside the "
            "paper's learners, on the same levels. Tau on ranks."
        )
        draw = partial(_draw_added, records=noise)
        pictures.append(_picture("figure-noise-added", caption, (11, 4.6), draw))
    if curve:
        caption = (
            "Added: tau on ranks against the number of training rows, without noise (validated on "
            "5,000 other rows)."
        )
        draw = partial(_draw_curve, records=curve)
        pictures.append(_picture("learning-curve", caption, (7.5, 4.6), draw))
    return pictures


def _draw_noise(figure: Figure, records: list[Record], on: str) -> None:
    axes = figure.subplots(1, 2)
    for ax, x, letter in zip(axes, ("alpha", "beta"), "ab", strict=True):
        noise_levels(records, x=x, on=on, ax=ax)
        ax.set_title(f"({letter})", fontsize=10)
    if axes[0].get_legend() is not None:
        axes[0].get_legend().remove()


def _draw_operators(figure: Figure, records: list[Record], on: str) -> None:
    axes = figure.subplots(3, 2, sharex=True, sharey=True)
    for row, learner in zip(axes, PAPER, strict=True):
        for ax, family in zip(row, FAMILIES, strict=True):
            noise_operators(records, family, learner, on=on, ax=ax)
            ax.label_outer()
            legend = ax.get_legend()
            if legend is not None and ax is not axes[0, 0]:
                legend.remove()


def _draw_added(figure: Figure, records: list[Record]) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    for ax, family in zip(axes, FAMILIES, strict=True):
        own = [r for r in records if r["family"] == family]
        # Only levels that all learners have, so that the curves can be compared.
        levels = {r["alpha"] for r in own if r["learner"] in ADDED}
        curves = _curves([r for r in own if r["alpha"] in levels], "alpha")
        if curves:
            learning_curve(curves, x_label="alpha", y_label="Kendall tau on ranks", ax=ax)
        ax.set_title(family, fontsize=10)
    axes[1].label_outer()


def _draw_curve(figure: Figure, records: list[Record]) -> None:
    ax = figure.subplots()
    for family in sorted({r["family"] for r in records}):
        own = [r for r in records if r["family"] == family]
        learning_curve(_curves(own, "n"), log_x=True, ax=ax)
        ax.set_title(family, fontsize=10)


def _curves(records: list[Record], x: str) -> dict[str, Any]:
    curves = {}
    for learner in (*PAPER, *ADDED):
        own = sorted((r for r in records if r["learner"] == learner), key=lambda r: r[x])
        if own:
            curves[learner] = tuple(np.array([r[key] for r in own]) for key in (x, "tau", "tau_sd"))
    return curves
