"""scikit-learn's own checks on tables of numbers."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import one_column
from rankwise.tables import TableRanker
from rankwise.tree import TreeRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

Table = one_column(TableRanker)


@parametrize_with_checks([Table(TreeRanker())])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
