"""Predictions of trees: ranks and shares from one descent, and what a subclass provides."""

import numpy as np
import pytest

from rankwise.baselines import LRRF, LRT, BoostLR
from rankwise.engine import CHUNK, Trees
from rankwise.forest import ForestRanker
from rankwise.tree import BaseTreeRanker, TreeRanker
from tree.test_input import problem

MODELS = pytest.mark.parametrize(
    "model",
    [
        TreeRanker(),
        TreeRanker("level", decomposition="joint"),
        TreeRanker(decomposition="pairwise", aggregation="borda"),
        ForestRanker(5, random_state=0),
        ForestRanker(5, decomposition="joint", random_state=0),
        ForestRanker(5, decomposition="pairwise", random_state=0, n_jobs=2),
        LRT(),
        LRRF(5, random_state=0),
        BoostLR(5, random_state=0),
    ],
    ids=lambda m: f"{type(m).__name__}-{getattr(m, 'decomposition', '')}",
)


@MODELS
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_ranks_and_shares_together_are_those_of_each_alone(model, kind):
    X, Y = problem(kind=kind)
    ranks, shares = model.fit(X, Y)._ranks_and_shares(X)
    np.testing.assert_array_equal(ranks, model.predict(X))
    np.testing.assert_array_equal(shares, model.predict_pairwise(X))


def count_descents(monkeypatch):
    """A list that grows by the number of rows whenever some go down the trees."""
    descents, descent = [], Trees._descent
    monkeypatch.setattr(
        Trees, "_descent", lambda self, X: descents.append(len(X)) or descent(self, X)
    )
    return descents


@MODELS
def test_ranks_and_shares_take_one_descent(model, monkeypatch):
    X, Y = problem()
    model.fit(X, Y)
    descents = count_descents(monkeypatch)
    model._ranks_and_shares(X)
    assert descents == [len(X)]


def test_many_rows_go_down_some_at_a_time(monkeypatch):
    X, Y = problem()
    model = ForestRanker(3, random_state=0).fit(X, Y)
    descents = count_descents(monkeypatch)
    many = np.tile(X, (CHUNK // len(X) + 1, 1))
    ranks, shares = model._ranks_and_shares(many)
    assert descents == [CHUNK, len(many) - CHUNK]
    assert len(ranks) == len(shares) == len(many)


def test_what_a_subclass_provides_is_declared():
    with pytest.raises(TypeError, match="abstract"):
        BaseTreeRanker()
    assert BaseTreeRanker.__abstractmethods__ == {
        "_bags",
        "_fit",
        "_jobs",
        "_n_samples_drawn",
        "_theory_sample",
    }
