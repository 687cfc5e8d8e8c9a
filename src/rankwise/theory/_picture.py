"""The picture of a report: every estimate with its interval, on the scale of its condition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankwise._canvas import COLOURS
from rankwise._extras import require

if TYPE_CHECKING:
    from rankwise.theory._condition import Condition

# Verdicts differ by marker as well as by colour.
_STYLES = {
    "holds": {"color": COLOURS[2], "marker": "o"},
    "fails": {"color": COLOURS[1], "marker": "X"},
    "cannot tell": {"color": COLOURS[5], "marker": "D"},
}
# Conditions that are no shares from 0 to 1: their scale, where it is fixed.
_SCALES: dict[str, tuple[float, float] | None] = {"tau gap": (-1.0, 1.0)}
_SCALES |= dict.fromkeys(["sparsity", "submodularity", "diminishing returns", "strong sparsity"])
# The value at which the verdict turns.
_TURNS = {"submodularity": 10.0, "diminishing returns": 10.0, "strong sparsity": 0.0}
_TURNS |= {"tau gap": 0.0, "independence": 0.1, "transitivity": 0.05}


def draw_conditions(conditions: Sequence[Condition]) -> Any:
    """Draw one panel per condition: a point, its interval, and a dashed line where verdicts turn.

    Examples
    --------
    >>> from rankwise.theory._condition import Condition
    >>> one = Condition("sparsity", "r", 2, 2, 3, "holds", "2 of 6 features matter")
    >>> bool(draw_conditions([one]).axes[0].get_xlim()[0] <= 0)
    True
    """
    n = max(1, len(conditions))
    figure = require("matplotlib.figure", "drawing the report").Figure(
        figsize=(8, 0.4 + 0.62 * n), layout="constrained"
    )
    panels = figure.subplots(n, 1, squeeze=False)[:, 0]
    for panel in panels[len(conditions) :]:
        panel.set_axis_off()
    for panel, condition in zip(panels, conditions, strict=False):
        _draw(panel, condition)
    return figure


def _draw(panel: Any, condition: Condition) -> None:
    style = _STYLES[condition.verdict]
    left, right = _limits(condition)
    panel.set_xlim(left, right)
    panel.set_ylim(-1, 1)
    panel.set_yticks([0], [f"{condition.name}, {condition.symbol}"])
    panel.tick_params(labelsize="small", left=False)
    panel.spines[["left", "top", "right"]].set_visible(False)
    # A name for programs; for people it stands at the left.
    panel.set_gid(condition.name)
    panel.text(1.02, 0.5, condition.verdict, transform=panel.transAxes, va="center",
               fontsize="small", color=style["color"])  # fmt: skip
    if condition.name in _TURNS:
        panel.axvline(_TURNS[condition.name], linestyle="--", linewidth=1, color=COLOURS[5])
    if math.isnan(condition.estimate):
        panel.text(0.5, 0.5, "unknown", transform=panel.transAxes, ha="center", va="center",
                   fontsize="small", color=style["color"])  # fmt: skip
        return
    low, high = (_within(end, left, right) for end in (condition.low, condition.high))
    panel.plot([low, high], [0, 0], "-", color=style["color"], linewidth=2)
    for end, at, mark in ((condition.low, low, "<"), (condition.high, high, ">")):
        panel.plot([at], [0], mark if math.isinf(end) else "|", color=style["color"], clip_on=False)
    if math.isfinite(condition.estimate):
        panel.plot([condition.estimate], [0], clip_on=False, zorder=3, **style)


def _limits(condition: Condition) -> tuple[float, float]:
    """The natural scale, or one that shows the interval and where the verdict turns."""
    scale = _SCALES.get(condition.name, (0.0, 1.0))
    if scale is not None:
        return scale
    turn = _TURNS.get(condition.name, 0.0)
    ends = [x for x in (condition.estimate, condition.low, condition.high) if math.isfinite(x)]
    low, high = min([turn, *ends]), max([turn, *ends])
    if condition.symbol == "C":
        low = 1.0
    return low, high + 0.08 * max(high - low, 1e-9)


def _within(end: float, left: float, right: float) -> float:
    return (left if end < 0 else right) if not math.isfinite(end) else min(max(end, left), right)
