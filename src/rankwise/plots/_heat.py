"""Heat maps: a coloured matrix with names on both sides and, where there is room, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._canvas import font_for, ink_on, letters_for, plain, room_for, shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more columns than this, their names stand upright.
MOST_SLANTED = 12


def size_of(rows: Sequence[str], columns: Sequence[str]) -> tuple[float, float]:
    """Width and height of a new figure, in inches; long names get more room."""
    width = 3.2 + 0.45 * max(4, min(len(columns), 24))
    height = 2.2 + 0.36 * max(4, min(len(rows), 28))
    return width + room_for(rows), height + room_for(columns)


def draw_heat(
    ax: Axes,
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    cmap: str,
    limits: tuple[float, float],
    number: str,
    bar_label: str,
    most_with_numbers: int,
) -> None:
    """Draw a matrix; NaN cells stay empty, larger ones than `most_with_numbers` have no numbers."""
    from matplotlib.ticker import PercentFormatter

    n_rows, n_columns = values.shape
    image = ax.imshow(
        np.ma.masked_invalid(values), cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    upright = n_columns > MOST_SLANTED
    row_size = font_for(ax, n_rows, most=9)
    column_size = font_for(ax, n_columns, along="width", most=9)
    row_names = shorten_all(rows, letters_for(ax, row_size))
    # slanted names reach less far down
    most = letters_for(ax, column_size if upright else 0.7 * column_size, along="height")
    column_names = shorten_all(columns, most)
    ax.set_yticks(range(n_rows), list(map(plain, row_names)), fontsize=row_size)
    ax.set_xticks(
        range(n_columns),
        list(map(plain, column_names)),
        fontsize=column_size,
        rotation=90 if upright else 45,
        rotation_mode="anchor",
        ha="right",
        va="center" if upright else "top",
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if max(n_rows, n_columns) <= most_with_numbers:
        _write_numbers(ax, image, values, number)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.03, label=bar_label)
    bar.outline.set_visible(False)
    if number.endswith("%}"):
        bar.ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))


def _write_numbers(ax: Axes, image: Any, values: np.ndarray, number: str) -> None:
    for i, j in np.argwhere(~np.isnan(values)):
        ink = ink_on(image.cmap(image.norm(values[i, j])))
        text = number.format(values[i, j])
        ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=8)
