"""The corrected biology sets give the figures that were published for them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankwise.datasets import load
from rankwise.metrics import kendall_tau

PUBLISHED_RPC = {"cold": 0.22, "diau": 0.33, "dtt": 0.17, "heat": 0.13, "spo": 0.14}


def pairwise_logistic_positions(X, Y, X_test):
    """Ranking by pairwise comparison: one logistic regression per pair, votes summed."""
    k = Y.shape[1]
    votes = np.zeros((len(X_test), k))
    for i in range(k):
        for j in range(i + 1, k):
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            p = model.fit(X, Y[:, i] < Y[:, j]).predict_proba(X_test)[:, 1]
            votes[:, i] += p
            votes[:, j] += 1 - p
    return -votes


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", list(PUBLISHED_RPC))
def test_pairwise_logistic_regression_gives_the_published_figure(name, data_folder, monkeypatch):
    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    data = load(name)
    X, Y = data.features, data.ranks
    taus = []
    for train, test in KFold(10, shuffle=True, random_state=0).split(X):
        predicted = pairwise_logistic_positions(X[train], Y[train], X[test])
        ranks = predicted.argsort(axis=1).argsort(axis=1) + 1.0
        taus.append(kendall_tau(Y[test], ranks))
    assert np.mean(taus) == pytest.approx(PUBLISHED_RPC[name], abs=0.01)
