"""scikit-learn's own checks on the baselines that grow trees."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import one_column
from rankwise.baselines import LRRF, LRT, BoostLR, PLRForest, PLRTree

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

Tree, Forest, Boost = map(one_column, (LRT, LRRF, BoostLR))
TiedTree, TiedForest = map(one_column, (PLRTree, PLRForest))


def not_for_samples(estimator):
    """Members grow on random samples, so that weights are repeated rows in distribution only."""
    if isinstance(estimator, Tree | TiedTree):
        return {}
    reason = "samples drawn by weight differ from those drawn of repeated rows"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [
        Tree(),
        Forest(5, random_state=0),
        Boost(5, random_state=0),
        TiedTree(),
        TiedForest(5, random_state=0),
    ],
    expected_failed_checks=not_for_samples,
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
