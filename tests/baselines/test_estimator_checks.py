"""scikit-learn's own checks, through an adapter that makes rankings of their one-column targets."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import two_labels
from rankwise.baselines import (
    LWD,
    RPC,
    Consensus,
    InstanceMallows,
    InstancePlackettLuce,
    InstancePLR,
    KernelRidgeKemeny,
    KNNKemeny,
)

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


class OneColumn:
    def fit(self, X, y):
        return super().fit(X, None if y is None else two_labels(y))

    def score(self, X, y):
        return super().score(X, two_labels(y))


class OneColumnConsensus(OneColumn, Consensus):
    pass


class OneColumnRPC(OneColumn, RPC):
    pass


class OneColumnLWD(OneColumn, LWD):
    pass


class OneColumnKNN(OneColumn, KNNKemeny):
    pass


class OneColumnRidge(OneColumn, KernelRidgeKemeny):
    pass


class OneColumnMallows(OneColumn, InstanceMallows):
    pass


class OneColumnPlackettLuce(OneColumn, InstancePlackettLuce):
    pass


class OneColumnPLR(OneColumn, InstancePLR):
    pass


@parametrize_with_checks(
    [
        OneColumnConsensus(),
        OneColumnRPC(),
        OneColumnLWD(),
        OneColumnKNN(),
        OneColumnRidge(alpha=0.1, gamma=0.1),
        OneColumnMallows(),
        OneColumnPlackettLuce(),
        OneColumnPLR(),
    ]
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
