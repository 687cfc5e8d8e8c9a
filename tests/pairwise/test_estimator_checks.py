"""scikit-learn's own checks, through an adapter that makes rankings of their one-column targets."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import column_or_1d

from rankwise.pairwise import KernelRanker, PairwiseRanker, PositionRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


def two_labels(y):
    """Label 0 goes first in the upper half of the rows."""
    y = column_or_1d(np.asarray(y))
    if y.dtype.kind in "OU":
        y = np.unique(y, return_inverse=True)[1]
    if not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity (inf)")
    first = np.argsort(np.argsort(y, kind="stable")) >= len(y) / 2
    return np.c_[2 - first, 1 + first].astype(float)


class OneColumn:
    def fit(self, X, y):
        return super().fit(X, None if y is None else two_labels(y))

    def score(self, X, y):
        return super().score(X, two_labels(y))


class OneColumnPairs(OneColumn, PairwiseRanker):
    pass


class OneColumnPositions(OneColumn, PositionRanker):
    pass


class OneColumnKernel(OneColumn, KernelRanker):
    pass


# Where sparse matrices are taken, the check wants one column; a ranking has one for each label.
ONE_COLUMN = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"), "predicts two columns"
)


def takes_sparse(ranker):
    return isinstance(getattr(ranker, "estimator", None), LogisticRegression)


@parametrize_with_checks(
    [
        OneColumnPairs(LogisticRegression()),
        OneColumnPairs(aggregation="borda"),
        OneColumnPositions(LogisticRegression()),
        OneColumnPositions(method="coarse"),
        OneColumnKernel(0.1, 1.0),
    ],
    expected_failed_checks=lambda ranker: ONE_COLUMN if takes_sparse(ranker) else {},
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
