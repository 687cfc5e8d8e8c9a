"""scikit-learn's estimator checks for rankers: an adapter that ranks two labels by a 1-D target."""

import numpy as np
from sklearn.utils.validation import column_or_1d


def two_labels(y):
    """Label 0 goes first where y is in the upper half of its range; repeated rows change nothing."""
    y = column_or_1d(np.asarray(y))
    if y.dtype.kind in "OU":
        y = np.unique(y, return_inverse=True)[1]
    if not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity (inf)")
    first = y > (y.min() + y.max()) / 2
    return np.c_[2 - first, 1 + first].astype(float)


def one_column(ranker):
    """The class of a ranker that takes the checks' 1-D targets."""

    class OneColumn(ranker):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, None if y is None else two_labels(y), sample_weight)

        def score(self, X, y, sample_weight=None):
            return super().score(X, two_labels(y), sample_weight)

    OneColumn.__name__ = OneColumn.__qualname__ = ranker.__name__
    # pickle finds a class by its module and name
    globals()[ranker.__name__] = OneColumn
    return OneColumn
