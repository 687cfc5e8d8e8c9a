"""Where pictures are drawn, and the colours they share.

Colours are told apart by people with any common colour blindness and stand out on white and on black:
all have a luminance between 0.1 and 0.3. Lines also differ by marker, so that nothing hangs on colour
alone. Text and frames keep the colours of the user's matplotlib style.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankwise._extras import require
from rankwise._terminal import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#B8659A", "#8F7A00", "#7A7A7A")
MARKERS = "osD^vP"
LINES = ("-", "--", ":", "-.")
# From "behind" (purple) over "undecided" (pale) to "before" (orange).
DIVERGING = "PuOr_r"
SEQUENTIAL = "cividis"
MAX_NAME = 24
# A letter takes so much of a figure that grows for names, up to this length.
INCHES, LONGEST = 0.09, 44


def get_axes(ax: Any, width: float = 6.4, height: float = 4.4) -> Axes:
    """Return the given Axes, or those of a new figure that leaves room for its texts."""
    require("matplotlib", "drawing plots")
    from matplotlib.axes import Axes

    if ax is None:
        # pyplot: notebooks show the figures that it knows, and nothing else
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise TypeError(
            f"ax must be a matplotlib Axes or None, got {type(ax).__name__}; of an array of them, "
            "pass one"
        )
    return ax


def line_style(number: int) -> dict[str, Any]:
    """How line `number` looks: colour, marker and, once colours repeat, dashes."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINES[number // len(COLOURS) % len(LINES)],
    }


def text_colour() -> Any:
    """The colour of text in the user's style: dark on light, light on dark."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def ink_on(colour: tuple[float, ...]) -> str:
    """Black or white, whichever is easier to read on a colour."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"


def shorten(name: Any, length: int = MAX_NAME) -> str:
    """Cut a long name so that it leaves room for the picture."""
    text = " ".join(str(name).split())
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def shorten_all(names: Sequence[Any], length: int = MAX_NAME) -> list[str]:
    """Cut long names at the end, or where else they stay different; leave them if nothing helps.

    Examples
    --------
    >>> shorten_all(["temperature of zone 1", "temperature of zone 2"], 10)
    ['…of zone 1', '…of zone 2']
    """
    texts = [" ".join(str(name).split()) for name in names]
    differ = [len(set(letters)) > 1 for letters in zip(*texts, strict=False)]
    shared = differ.index(True) if any(differ) else 0
    for start in (0, 1 - length, shared):
        short = [_cut(text, start, length) for text in texts]
        if len(set(short)) == len(set(texts)):
            return short
    return texts


def _cut(text: str, start: int, length: int) -> str:
    if len(text) <= length or not start:
        return shorten(text, length)
    return "…" + shorten(text[start:].lstrip(), length - 1)


def plain(name: Any) -> str:
    """A text that matplotlib draws as it stands.

    A dollar sign would start a formula, and signs that nobody sees make an SVG that nothing reads.
    """
    return visible(str(name)).replace("$", r"\$")


def font_for(ax: Axes, n: int, along: str = "height", most: float = 10) -> float:
    """The font size with which n names fit along a side of the Axes, at most `most` points."""
    # names of a new figure take room from its Axes when it is drawn, hence not all of the pitch
    box = ax.get_window_extent()
    side = box.height if along == "height" else box.width
    pitch = 72 * side / ax.get_figure(root=True).dpi / max(n, 1)  # type: ignore[union-attr]
    return max(3.0, min(most, 0.65 * pitch))


def letters_for(ax: Axes, size: float, along: str = "width") -> int:
    """How many letters a name may have that takes half of a side of the Axes, `MAX_NAME` at least."""
    box = ax.get_window_extent()
    side = 72 * (box.width if along == "width" else box.height)
    points = side / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    # a letter is about half as wide as it is high
    return max(MAX_NAME, int(points / size))


def room_for(names: Sequence[Any]) -> float:
    """Inches that a new figure needs more for long names."""
    longest = max((len(str(name)) for name in names), default=0)
    return INCHES * max(0, min(LONGEST, longest) - MAX_NAME)


def rounded(number: float) -> str:
    """Write a number by four figures, without an exponent where people can do without.

    Examples
    --------
    >>> rounded(12345.6), rounded(2.0), rounded(0.123456), rounded(1e12)
    ('12,346', '2', '0.1235', '1e+12')
    """
    return f"{number:,.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def log_scale(ax: Axes, which: str) -> None:
    """Make the x or y axis logarithmic, with plain numbers: 60, and not 6 x 10^1."""
    from matplotlib.ticker import LogFormatter

    class PlainNumbers(LogFormatter):
        """Labels as many ticks as matplotlib would, in digits as long as these are short."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            if not super().__call__(x, pos):
                return ""
            return f"{x:,.0f}" if 1 <= x < 1e7 else f"{x:g}"

    getattr(ax, f"set_{which}scale")("log")
    axis = getattr(ax, f"{which}axis")
    axis.set_major_formatter(PlainNumbers())
    axis.set_minor_formatter(PlainNumbers(minor_thresholds=(2, 0.5)))


def legend_below(ax: Axes) -> None:
    """Put the legend below the name of the x axis, in one line, where it covers nothing."""
    from matplotlib import rcParams
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    # ticks, their labels and the axis's name
    down = -3.8 * rcParams["font.size"] / 72
    below = ScaledTranslation(0, down, figure.dpi_scale_trans)  # type: ignore[union-attr]
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + below,
        borderaxespad=0,
        ncols=len(ax.get_legend_handles_labels()[0]),
        fontsize=8,
        frameon=False,
        labelcolor=text_colour(),
    )


def tidy(ax: Axes) -> None:
    """Leave out the frame where it says nothing."""
    ax.spines[["top", "right"]].set_visible(False)
