"""The Mallows model of some rankings, by the function that fits many groups."""

import numpy as np

from rankwise.baselines._mallows import fit_mallows_groups, observed_places


def fit_mallows(ranks, weights=None):
    """Return the centre and theta of all rows."""
    rows = np.arange(len(ranks))
    fit = fit_mallows_groups(observed_places(ranks), rows, np.array([0, len(rows)]), weights)
    return fit.centers[0], float(fit.thetas[0])
