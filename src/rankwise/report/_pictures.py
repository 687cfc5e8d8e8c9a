"""The pictures of a report that stand alone: reliability of chances, and tau by rows."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise._html import Html
from rankwise._svg import colour, dot, line, picture, words
from rankwise.report._facts import Point
from rankwise.report._held_out import Bin

# Of the plane within its frame, in pixels, and of the room for numbers around it.
SIDE, LEFT, TOP, BELOW, RIGHT = 260, 56, 14, 46, 24
_FINE = "opacity:.25"


def reliability_picture(bins: Sequence[Bin]) -> Html:
    """Draw how often orders came true by the chance that was given; on the diagonal all is well."""

    def x(chance: float) -> float:
        return LEFT + SIDE * (chance - 0.5) / 0.5

    least = min([0.5, *(end for one in bins for end in one.came_true.interval if end == end)])
    least = max(0.0, int(least * 10) / 10)

    def y(share: float) -> float:
        return TOP + SIDE * (1 - share) / (1 - least)

    parts = [_frame()]
    for tick in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        parts.append(words(x(tick), TOP + SIDE + 18, f"{tick:.0%}", "middle"))
    step = 0.1 if least > 0.2 else 0.2
    for number in range(round((1 - least) / step) + 1):
        tick = 1 - number * step
        parts.append(line(LEFT, y(tick), LEFT + SIDE, y(tick), "ink", _FINE))
        parts.append(words(LEFT - 8, y(tick) + 4, f"{tick:.0%}", "end"))
    parts.append(line(x(0.5), y(0.5), x(1), y(1), "soft", "stroke-dasharray:4 3"))
    most = max((one.came_true.n for one in bins), default=1)
    for one in bins:
        low, high = one.came_true.interval
        at = x(one.chance)
        parts.append(line(at, y(low), at, y(high), "mark", "stroke-width:2"))
        parts.append(
            dot(at, y(one.came_true.share), 3 + 4 * (one.came_true.n / most) ** 0.5, "mark")
        )
    parts.append(words(LEFT + SIDE / 2, TOP + SIDE + 40, "chance that was given", "middle"))
    parts.append(_upright("came true"))
    said = "; ".join(
        f"given {one.chance:.0%}, came true {one.came_true.share:.0%} of {one.came_true.n}"
        for one in bins
    )
    return picture("".join(parts), LEFT + SIDE + RIGHT, TOP + SIDE + BELOW, said)


def curve_picture(curve: Sequence[Point]) -> Html:
    """Draw tau by the rows that were learned from."""
    taus = [point.tau for point in curve]
    low, high = min(taus), max(taus)
    room = max(0.02, 0.3 * (high - low))
    low, high = low - room, min(1.0, high + room)
    most = curve[-1].rows
    height = 150

    def x(rows: int) -> float:
        return LEFT + SIDE * rows / most

    def y(tau: float) -> float:
        return TOP + height * (high - tau) / (high - low)

    parts = [_frame(height)]
    path = " ".join(f"{x(point.rows):.1f},{y(point.tau):.1f}" for point in curve)
    parts.append(
        f'<polyline points="{path}" style="fill:none;stroke:{colour("mark")};stroke-width:2"/>'
    )
    for point in curve:
        parts.append(dot(x(point.rows), y(point.tau), 4, "mark"))
        # below the first: the line leaves it upward
        down = 18 if point is curve[0] else -9
        parts.append(words(x(point.rows), y(point.tau) + down, f"{point.tau:.2f}", "middle"))
        parts.append(words(x(point.rows), TOP + height + 18, f"{point.rows:,}", "middle"))
    parts.append(words(LEFT + SIDE / 2, TOP + height + 40, "rows learned from", "middle"))
    parts.append(_upright("tau", height))
    said = "; ".join(f"{point.rows} rows, tau {point.tau:.3f}" for point in curve)
    return picture("".join(parts), LEFT + SIDE + RIGHT, TOP + height + BELOW, said)


def _frame(height: float = SIDE) -> str:
    bottom = TOP + height
    return line(LEFT, bottom, LEFT + SIDE, bottom, "ink", "opacity:.6") + line(
        LEFT, TOP, LEFT, bottom, "ink", "opacity:.6"
    )


def _upright(said: str, height: float = SIDE) -> str:
    x, y = 12, TOP + height / 2
    turned = words(0, 0, said, "middle")
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate(-90)">{turned}</g>'
