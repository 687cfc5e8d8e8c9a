"""Pictures: each function draws on given Axes, or on new ones, and returns them.

Needs matplotlib: ``pip install 'rankwise[plot]'``. Nothing is shown or saved: call
``matplotlib.pyplot.show()`` or ``ax.figure.savefig(path)``.
"""

from rankwise.plots._curves import learning_curve, tau_by_missing

__all__ = ["learning_curve", "tau_by_missing"]
