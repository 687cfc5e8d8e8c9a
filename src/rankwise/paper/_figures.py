"""The figures of a reproduction, drawn for light and for dark pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._extras import require
from rankwise.paper._reproduce import Reproduction
from rankwise.plots import learning_curve, noise_levels, noise_operators

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = {"light": "#1c2024", "dark": "#e4e7eb"}
_SOLID = {"light": "#ffffff", "dark": "#14171a"}
_LEARNERS = ("RF", "DT", "SDT", "Level", "Honest")


@dataclass(frozen=True)
class Picture:
    """A figure: its file name, what it shows, and the files themselves."""

    name: str
    caption: str
    svg: bytes
    dark_svg: bytes
    png: bytes


def _draw(
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
    noise = result.records.get("figure-noise", [])
    operators = result.records.get("figure-operators", [])
    curve = result.records.get("learning-curve", [])
    pictures = []
    for on in ("ranks", "orders"):
        reading = "as the text defines it" if on == "ranks" else "as the programs took it"
        if noise:
            pictures.append(
                _draw(
                    _file("figure-noise", on),
                    f"Mean Kendall tau on {on} ({reading}) against (a) alpha and (b) beta, for "
                    f"Gaussian noise. Validated on noiseless rankings.",
                    (11, 4.6),
                    _Noise(noise, on),
                )
            )
        if operators:
            pictures.append(
                _draw(
                    _file("figure-operators", on),
                    f"Gaussian against Mallows noise of equal alpha, all on {on} ({reading}). "
                    "Lines: mean tau; bands: one standard deviation; dotted: beta.",
                    (10, 10),
                    _Operators(operators, on),
                )
            )
    if any(r["learner"] in ("Level", "Honest") for r in noise):
        pictures.append(
            _draw(
                "figure-noise-added",
                "Added: Level-Splits trees and honest forests, which the theory is about, beside "
                "the paper's learners, on the same levels. Tau on ranks.",
                (11, 4.6),
                _Added(noise),
            )
        )
    if curve:
        pictures.append(
            _draw(
                "learning-curve",
                "Added: tau on ranks against the number of training rows, without noise "
                "(validated on 5,000 other rows).",
                (7.5, 4.6),
                _LearningCurve(curve),
            )
        )
    return pictures


def _file(name: str, on: str) -> str:
    return name if on == "ranks" else f"{name}-orders"


@dataclass(frozen=True)
class _Noise:
    records: list[dict[str, Any]]
    on: str

    def __call__(self, figure: Figure) -> None:
        axes = figure.subplots(1, 2)
        for ax, x, letter in zip(axes, ("alpha", "beta"), "ab", strict=True):
            noise_levels(self.records, x=x, on=self.on, ax=ax)
            ax.set_title(f"({letter})", fontsize=10)
        if axes[0].get_legend() is not None:
            axes[0].get_legend().remove()


@dataclass(frozen=True)
class _Operators:
    records: list[dict[str, Any]]
    on: str

    def __call__(self, figure: Figure) -> None:
        axes = figure.subplots(3, 2, sharex=True, sharey=True)
        for row, learner in zip(axes, ("RF", "DT", "SDT"), strict=True):
            for ax, family in zip(row, ("SFN", "LFN"), strict=True):
                noise_operators(self.records, family, learner, on=self.on, ax=ax)
                ax.label_outer()
                legend = ax.get_legend()
                if legend is not None and (learner, family) != ("RF", "SFN"):
                    legend.remove()


@dataclass(frozen=True)
class _Added:
    records: list[dict[str, Any]]

    def __call__(self, figure: Figure) -> None:
        axes = figure.subplots(1, 2, sharey=True)
        for ax, family in zip(axes, ("SFN", "LFN"), strict=True):
            own = [r for r in self.records if r["family"] == family]
            # Only levels that all learners have, so that the curves can be compared.
            levels = {r["alpha"] for r in own if r["learner"] in ("Level", "Honest")}
            curves = _curves([r for r in own if r["alpha"] in levels], "alpha")
            if curves:
                learning_curve(curves, x_label="alpha", y_label="Kendall tau on ranks", ax=ax)
            ax.set_title(family, fontsize=10)
        axes[1].label_outer()


@dataclass(frozen=True)
class _LearningCurve:
    records: list[dict[str, Any]]

    def __call__(self, figure: Figure) -> None:
        ax = figure.subplots()
        for family in sorted({r["family"] for r in self.records}):
            own = [r for r in self.records if r["family"] == family]
            learning_curve(_curves(own, "n"), log_x=True, ax=ax)
            ax.set_title(family, fontsize=10)


def _curves(records: list[dict[str, Any]], x: str) -> dict[str, Any]:
    curves = {}
    for learner in _LEARNERS:
        own = sorted((r for r in records if r["learner"] == learner), key=lambda r: r[x])
        if own:
            curves[learner] = tuple(np.array([r[key] for r in own]) for key in (x, "tau", "tau_sd"))
    return curves
