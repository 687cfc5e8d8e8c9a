"""scikit-learn's own checks, with candidates that are quick and with all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pairwise.test_estimator_checks import two_labels
from rankwise.auto import AutoRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


class OneColumnAuto(AutoRanker):
    def fit(self, X, y):
        return super().fit(X, None if y is None else two_labels(y))

    def score(self, X, y):
        return super().score(X, two_labels(y))


@parametrize_with_checks([OneColumnAuto(candidates=["Tree"], random_state=0)])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([OneColumnAuto(random_state=0)])
def test_scikit_learns_checks_pass_with_all_candidates(estimator, check):
    check(estimator)
