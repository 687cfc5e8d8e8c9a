"""Small pictures as inline SVG: bars and intervals, in the colours of the page around them."""

from __future__ import annotations

from rankwise._canvas import COLOURS
from rankwise._html import Html, join, tag, text

# Of the pictures that stand in cells of tables, in pixels.
WIDTH, HEIGHT = 180, 18
RADIUS = 4


def colour(name: str) -> str:
    """Return a colour of the page, or what stands in for it where a page has none."""
    usual = {"for": COLOURS[0], "against": COLOURS[1], "mark": COLOURS[0]}
    return f"var(--{name}, {usual.get(name, 'currentColor')})"


def picture(parts: str, width: float, height: float, said: str) -> Html:
    """Return an SVG of so many pixels; `said` tells what is in it to who cannot see it."""
    return Html(
        f'<svg role="img" aria-label="{text(said)}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">{tag("title", said)}{parts}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, ink: str, more: str = "") -> str:
    """Return a line; `more` is further style."""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'style="stroke:{colour(ink)};{more}"/>'
    )


def dot(x: float, y: float, radius: float, ink: str, *, filled: bool = True) -> str:
    """Return a round mark."""
    inside = colour(ink) if filled else "none"
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" '
        f'style="stroke:{colour(ink)};stroke-width:1.5;fill:{inside}"/>'
    )


def words(x: float, y: float, said: str, anchor: str = "start", more: str = "") -> str:
    """Return a text in a picture."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{more}">{text(said)}</text>'
    )


def scale(ends: tuple[float, float], percent: bool = False) -> Html:
    """Return the numbers at the ends of a scale, to stand over intervals."""
    numbers = (tag("span", f"{end:.0%}" if percent else f"{end:.2g}") for end in ends)
    return tag("span", join(numbers, ""), class_="scale")


def bar(amount: float, largest: float, said: str) -> Html:
    """Return a bar from the middle: to the right for amounts above 0, to the left below.

    Examples
    --------
    >>> 'width="90.0"' in bar(2.0, 2.0, "all of it"), 'x="45.0"' in bar(-1.0, 2.0, "half")
    (True, True)
    """
    middle = WIDTH / 2
    length = middle * min(1.0, abs(amount) / largest) if largest > 0 else 0.0
    left = middle if amount >= 0 else middle - length
    ink = colour("for" if amount >= 0 else "against")
    shape = (
        f'<rect x="{left:.1f}" y="3" width="{length:.1f}" height="{HEIGHT - 6}" rx="1.5" '
        f'style="fill:{ink}"/>'
    )
    return picture(
        shape + line(middle, 0, middle, HEIGHT, "ink", "opacity:.5"), WIDTH, HEIGHT, said
    )


def interval(
    figures: tuple[float, float, float],
    ends: tuple[float, float],
    said: str,
    *,
    floor: float | None = None,
    filled: bool = True,
    ink: str = "mark",
) -> Html:
    """Return a mark with its interval (figure, low, high) on a scale that goes from end to end.

    Examples
    --------
    >>> 'cx="90.0"' in interval((0.5, 0.4, 0.6), (0.0, 1.0), "half")
    True
    """

    def place(figure: float) -> float:
        left, right = ends
        share = (figure - left) / (right - left) if right > left else 0.5
        return WIDTH * min(1.0, max(0.0, share))

    figure, low, high = figures
    y = HEIGHT / 2
    parts = ""
    if floor is not None:
        parts = line(place(floor), 0, place(floor), HEIGHT, "soft", "stroke-dasharray:2 2")
    x = place(figure) if figure == figure else None
    for end in (low, high):
        if x is not None and end == end and abs(place(end) - x) > RADIUS:
            edge = x + (RADIUS if end > figure else -RADIUS)
            parts += line(edge, y, place(end), y, ink, "stroke-width:2")
    parts += "" if x is None else dot(x, y, RADIUS, ink, filled=filled)
    return picture(parts, WIDTH, HEIGHT, said)
