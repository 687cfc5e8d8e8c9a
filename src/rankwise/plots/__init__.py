"""Pictures: each function draws on given Axes, or on new ones, and returns them.

Needs matplotlib: ``pip install 'rankwise[plot]'``. Nothing is shown or saved: call
``matplotlib.pyplot.show()`` or ``ax.figure.savefig(path)``.
"""

from rankwise.plots._certainty import pair_chances, pairwise_certainty
from rankwise.plots._critical_difference import critical_difference
from rankwise.plots._curves import learning_curve, tau_by_missing
from rankwise.plots._importances import label_importances
from rankwise.plots._leaderboard import leaderboard
from rankwise.plots._noise import noise_levels, noise_operators
from rankwise.plots._positions import label_profile, row_positions
from rankwise.plots._tree import draw_tree

__all__ = [
    "critical_difference",
    "draw_tree",
    "label_importances",
    "label_profile",
    "leaderboard",
    "learning_curve",
    "noise_levels",
    "noise_operators",
    "pair_chances",
    "pairwise_certainty",
    "row_positions",
    "tau_by_missing",
]
