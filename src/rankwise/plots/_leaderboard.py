"""Who did how well on rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankwise._arguments import check_arguments
from rankwise._canvas import COLOURS, get_axes, plain, shorten, text_colour, tidy
from rankwise._naming import shown
from rankwise.auto import FLOOR, MIXTURE, Leaderboard

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches for each line, and around them.
LINE, AROUND = 0.27, 1.0
# Letters of a name; learners with parameters differ at the end.
LONGEST = 48


@check_arguments
def leaderboard(board: Any, ax: Axes | None = None) -> Axes:
    """Draw what each learner reaches on rows left out, with its 95 % interval.

    Parameters
    ----------
    board : Leaderboard or AutoRanker
        What was tried; learners that were tried on part of the rows alone are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The best is on top. Filled marks are part of the mixture, with their share of it; the dashed
        line is the consensus, one ranking for all rows.

    Examples
    --------
    >>> from rankwise.auto import Leaderboard, Standing
    >>> from rankwise.plots import leaderboard
    >>> board = Leaderboard((Standing("Forest", 0.8, 0.7, 0.9, 2.0, 0.8, 90),
    ...                      Standing("Pairwise", 0.7, 0.6, 0.8, 0.5, 0.2, 90),
    ...                      Standing("Consensus", 0.2, 0.1, 0.3, 0.0, 0.0, 90)))
    >>> ax = leaderboard(board)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['Forest', 'Pairwise', 'Consensus']
    """
    found = board if isinstance(board, Leaderboard) else getattr(board, "leaderboard_", None)
    if not isinstance(found, Leaderboard):
        raise TypeError(f"board is {shown(board)}; give a fitted AutoRanker or its leaderboard_")
    most = max(standing.rows for standing in found)
    lines = [standing for standing in found if standing.rows == most]
    ax = get_axes(ax, 8.0, AROUND + LINE * len(lines))
    for y, standing in enumerate(lines):
        colour = COLOURS[1] if standing.learner == MIXTURE else COLOURS[0]
        ax.plot([standing.low, standing.high], [y, y], color=colour, linewidth=1.5)
        face = colour if standing.weight else "none"
        ax.plot([standing.tau], [y], "o", color=colour, markerfacecolor=face)
        if standing.weight and standing.learner != MIXTURE:
            ax.annotate(
                f"{standing.weight:.0%}",
                (standing.high, y),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                color=text_colour(),
            )
    floor = next((s.tau for s in lines if s.learner == FLOOR), None)
    if floor is not None:
        ax.axvline(floor, color=text_colour(), linewidth=0.8, linestyle="--")
    ax.set_yticks(
        range(len(lines)), [shorten(plain(standing.learner), LONGEST) for standing in lines]
    )
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.set_xlabel(f"{found.measure_name} on rows left out, with a 95 % interval")
    tidy(ax)
    return ax
