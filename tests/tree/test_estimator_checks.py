"""scikit-learn's own checks on every ranker of trees; none is expected to fail."""

import pytest
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import one_column
from rankwise.forest import ForestRanker
from rankwise.tree import LabelwiseRanker, TreeRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

Tree, Forest, Labelwise = map(one_column, (TreeRanker, ForestRanker, LabelwiseRanker))


@parametrize_with_checks(
    [
        Tree(),
        Tree(criterion="level", decomposition="joint"),
        Forest(n_estimators=5, random_state=0),
        Labelwise(DecisionTreeRegressor(max_depth=3)),
    ],
    xfail_strict=True,
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
